import { createRegexGuard, type RegexGuard } from './regex-guard.js';

const HOUR_MS = 3_600_000;

/** A guard whose clock moves only by `rest`, which refills every allowance. No regex is skipped. */
export function createPatientGuard(): { readonly guard: RegexGuard; readonly rest: () => void } {
  let nowMs = 0;
  return {
    guard: createRegexGuard({ nowMs: () => nowMs }),
    rest: () => {
      nowMs += HOUR_MS;
    },
  };
}
