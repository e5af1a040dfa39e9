const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between one attempt and the next: close at first, for a restart; then for an outage of a weekend. */
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

/** An endpoint may ask for so long a pause, which does not lengthen the three days by much. */
const MAX_ASKED_SECONDS = HOUR;

/** Endpoints that failed together are not to be asked again together. */
const JITTER = 0.1;

/**
 * Returns the delay after a failed attempt, or undefined after about three days of attempts.
 *
 * @param attemptNumber of the one that failed; 1 for the first
 * @param random from 0 to 1
 * @param askedSeconds what the endpoint has asked to wait at least; heeded up to an hour
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
