import * as en from './en/en';

/** All texts of the console. A translation is another object of this type. */
export type Texts = typeof en;

export const texts: Texts = en;
