const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Rule for the time of the next attempt. */
interface RetryRule {
  /** Seconds after the first, second, … failure in a row. The last one repeats. */
  readonly delaysSeconds: readonly number[];
  /** Whether another authority may accept the order that this one refused. */
  readonly triesFallback: boolean;
}

/**
 * Reaction to each kind of failure. Let's Encrypt accepts five failed validations per name and hour, and pauses a
 * name after 1,152 in a row. These delays need three years for that many.
 */
export const RETRY_RULES = {
  /** DNS does not point here. Owners change it in their own time. */
  DNS_NOT_POINTED: {
    delaysSeconds: [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY],
    triesFallback: false,
  },
  /** A CAA record excludes every configured authority. */
  CAA_FORBIDS: {
    delaysSeconds: [10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY],
    triesFallback: false,
  },
  /** Name servers fail. */
  DNS_UNAVAILABLE: {
    delaysSeconds: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR],
    triesFallback: false,
  },
  /** The authority could not fetch the answer to its challenge. */
  VALIDATION_FAILED: {
    delaysSeconds: [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY],
    triesFallback: false,
  },
  /** A limit of the authority. Its `Retry-After` counts, if there is one. */
  RATE_LIMITED: { delaysSeconds: [HOUR, 3 * HOUR, 6 * HOUR, DAY], triesFallback: true },
  /** The authority is away, slow, or fails. */
  CA_UNAVAILABLE: {
    delaysSeconds: [MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR],
    triesFallback: true,
  },
  /** The authority does not issue for this name. */
  CA_REFUSED: { delaysSeconds: [HOUR, 6 * HOUR, DAY], triesFallback: true },
  /** The authority refuses the account. An operator must act. */
  ACCOUNT_REFUSED: { delaysSeconds: [10 * MINUTE, HOUR, 6 * HOUR], triesFallback: true },
  /** An uploaded key was encrypted with another SECRET_KEY. Only the owner can upload the key again. */
  KEY_LOST: { delaysSeconds: [DAY], triesFallback: false },
  /** A fault of this software. */
  INTERNAL_ERROR: { delaysSeconds: [5 * MINUTE, HOUR, 6 * HOUR, DAY], triesFallback: false },
} as const satisfies Record<string, RetryRule>;

export type FailureCode = keyof typeof RETRY_RULES;
export const FAILURE_CODES = Object.keys(RETRY_RULES) as FailureCode[];

/** Names that failed together must not be tried again together. */
const JITTER = 0.1;
/** An authority may ask for a longer wait. It is asked again after this time. */
const MAX_ASKED_SECONDS = 7 * DAY;

/** An attempt that did not succeed: an outcome, not a fault. */
export class AttemptFailure extends Error {
  override name = 'AttemptFailure';

  /** @param message instruction for the owner of the host */
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly retryAfterSeconds?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Returns the seconds until the next attempt.
 *
 * @param failures in a row, this one included
 * @param random from 0 to 1
 */
export function retryDelaySeconds(
  { code, retryAfterSeconds = 0 }: Pick<AttemptFailure, 'code' | 'retryAfterSeconds'>,
  failures: number,
  random: number,
): number {
  const delays: readonly number[] = RETRY_RULES[code].delaysSeconds;
  const delay = delays[Math.min(failures, delays.length) - 1] ?? DAY;
  const spread = delay * (1 + JITTER * (2 * random - 1));
  // Limits end at a moment that many names wait for.
  const asked = Math.min(retryAfterSeconds, MAX_ASKED_SECONDS) * (1 + JITTER * random);
  return Math.max(spread, asked);
}
