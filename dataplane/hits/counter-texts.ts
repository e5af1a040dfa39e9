import { createNumberedTexts, type NumberedTexts } from '../texts/numbered-texts.js';

/** The texts of counters, which are kept as numbers. What counts redirects and what counts rules share them. */
export interface CounterTexts {
  readonly redirectIds: NumberedTexts;
  readonly variants: NumberedTexts;
}

export function createCounterTexts(): CounterTexts {
  return { redirectIds: createNumberedTexts(), variants: createNumberedTexts() };
}
