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

/** Endpoints that failed together are not to be asked again together. */
const JITTER = 0.1;

/**
 * How long to wait after a failed attempt, or `undefined` when about three days of attempts have been enough.
 *
 * @param attemptNumber of the one that failed; 1 for the first
 * @param random from 0 to 1
 */
export function retryDelaySeconds(attemptNumber: number, random: number): number | undefined {
  const delay = DELAYS_SECONDS[attemptNumber - 1];
  return delay === undefined ? undefined : delay * (1 + JITTER * (2 * random - 1));
}
