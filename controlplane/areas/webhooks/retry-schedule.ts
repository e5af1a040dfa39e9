const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between attempts: short ones first, for a restart, then longer ones, for an outage of a weekend. */
const DELAYS_SECONDS: readonly number[] = [
  5,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
];

/** Maximum delay that an endpoint may ask for. It adds little to the three days. */
const MAX_ASKED_SECONDS = HOUR;

/** Share by which delays differ. Endpoints that failed together must not be tried again together. */
const JITTER = 0.1;

/**
 * Returns the delay after a failed attempt, or undefined after about three days of attempts.
 *
 * @param attemptNumber of the failed attempt; 1 for the first
 * @param random from 0 to 1
 * @param askedSeconds minimum delay that the endpoint asked for; at most an hour counts
 */
export function retryDelaySeconds(
  attemptNumber: number,
  random: number,
  askedSeconds = 0,
): number | undefined {
  const delay = DELAYS_SECONDS[attemptNumber - 1];
  if (delay === undefined) return undefined;
  return Math.max(delay * (1 + JITTER * (2 * random - 1)), Math.min(askedSeconds, MAX_ASKED_SECONDS));
}
