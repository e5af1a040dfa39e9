import type { AppError } from '../../errors/app-error.js';
import { createWindowCounter } from '../../http/rate-limit-store.js';
import { tooManyRequests } from '../../http/too-many-requests.js';

const WINDOW_MS = 60_000;
/** Maximum refused tokens of one address per window. After that, only some of its tokens are looked up. */
const MAX_BAD_TOKENS = 100;
const EXTRA_WINDOW_MS = 1_000;
/** Maximum look-ups of one address per second beyond the limit, so that valid tokens behind the same address still work. */
const MAX_EXTRA_LOOKUPS = 10;
const MAX_ADDRESSES = 100_000;

/** Counts refused tokens by address in this process, so that guessing does not reach the database. */
export interface BadTokenLimit {
  /** Counts a look-up beyond the limit. Returns the refusal for an address that had too many. */
  refusal(caller: string): AppError | undefined;
  count(caller: string): void;
}

export function createBadTokenLimit(): BadTokenLimit {
  const counter = createWindowCounter({ windowMs: WINDOW_MS, maxWindows: MAX_ADDRESSES });
  const extra = createWindowCounter({ windowMs: EXTRA_WINDOW_MS, maxWindows: MAX_ADDRESSES });
  return {
    refusal(caller) {
      const window = counter.get(caller);
      if (window === null || window.count < MAX_BAD_TOKENS) return undefined;
      if (extra.consume(caller).count <= MAX_EXTRA_LOOKUPS) return undefined;
      return tooManyRequests('Too many unknown access tokens came from this address.', window.msBeforeNext);
    },
    count: (caller) => void counter.consume(caller),
  };
}
