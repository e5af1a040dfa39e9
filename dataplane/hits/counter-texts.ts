import { createNumberedTexts, type NumberedTexts } from '../texts/numbered-texts.js';

/** The texts of counters, by number. The counters of redirects and of rules share them. */
export interface CounterTexts {
  readonly redirectIds: NumberedTexts;
  readonly variants: NumberedTexts;
}

export function createCounterTexts(): CounterTexts {
  return { redirectIds: createNumberedTexts(), variants: createNumberedTexts() };
}
