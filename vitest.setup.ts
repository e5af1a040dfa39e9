import { vi } from 'vitest';

const { waitFor } = vi;
/** Vitest gives a condition one second by default, which a busy machine can take for nothing at all. */
const PATIENCE = { timeout: 10_000 };

Object.assign(vi, {
  waitFor: ((condition, options) =>
    waitFor(
      condition,
      typeof options === 'number' ? options : { ...PATIENCE, ...options },
    )) satisfies typeof waitFor,
});
