import * as en from './en/en';

/** All texts of the console. Another language is another object of this type. */
export type Texts = typeof en;

export const texts: Texts = en;
