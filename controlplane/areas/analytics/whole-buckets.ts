import { DAY_MS, HOUR_MS, type Period } from './period.js';

/** Length of the bucket of one row of a roll-up. */
export type Bucket = 'hour' | 'day';

const LENGTH_MS: Readonly<Record<Bucket, number>> = { hour: HOUR_MS, day: DAY_MS };

/**
 * Latest hour that a roll-up can count; the engine's own limit is a few weeks later. Hits outside the range should
 * not exist and are read one by one.
 */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(2106, 0, 1) - 1;

/** The first and the last millisecond of some buckets that are wholly in a period. */
export type WholeBuckets = Period;

/** Returns the buckets that are wholly in the period; none when it is too short. */
export function wholeBuckets({ startMs, endMs }: Period, bucket: Bucket): WholeBuckets | undefined {
  const lengthMs = LENGTH_MS[bucket];
  const firstMs = Math.ceil(Math.max(startMs, FIRST_MS) / lengthMs) * lengthMs;
  const lastMs = Math.floor((Math.min(endMs, LAST_MS) + 1) / lengthMs) * lengthMs - 1;
  return firstMs < lastMs ? { startMs: firstMs, endMs: lastMs } : undefined;
}
