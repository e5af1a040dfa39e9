import type { Load } from './load/load.js';
import { until } from './until.js';

/** A time of the monotonic clock, with the counter of each moving host. */
export interface Moment {
  readonly atMs: number;
  readonly counters: readonly number[];
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * Waits until every data plane answers visitors with the state that was acknowledged at `atMs`, or a newer one.
 *
 * @returns the duration in milliseconds; undefined when it takes too long
 */
export function untilConverged(load: Load, { atMs, counters }: Moment): Promise<number | undefined> {
  return untilShown(load, (shown, host) => shown >= (counters[host] ?? 0)).then((isShown) =>
    isShown ? Math.round(performance.now() - atMs) : undefined,
  );
}

/** Waits until every data plane answers exactly with the committed state. Returns false when it takes too long. */
export function untilShowing(load: Load, committed: readonly number[]): Promise<boolean> {
  return untilShown(load, (shown, host) => shown === committed[host]);
}

async function untilShown(load: Load, isRight: (shown: number, host: number) => boolean): Promise<boolean> {
  const isShown = async () => {
    const { planes } = await load.stats();
    return planes.every(({ counters }) => counters.every(isRight));
  };
  return until(isShown, { timeoutMs: TIMEOUT_MS, intervalMs: POLL_MS }).then(
    () => true,
    () => false,
  );
}
