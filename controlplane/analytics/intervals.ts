import { AppError } from '../errors/app-error.js';
import { DAY_MS, HOUR_MS, type Period } from './period.js';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Above this an answer has megabytes. It is 2.8 years of hours or 68 years of days. */
export const MAX_BUCKETS = 25_000;

const WEEK_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday: the Monday before it. */
const FIRST_MONDAY_MS = -3 * DAY_MS;

/**
 * The start of every bucket that the period touches, in order, without gaps; the first may begin before the
 * period does. Weeks begin on Monday; everything is UTC.
 *
 * @param field what the caller can change: the length of the buckets, or only where the period starts
 * @throws AppError INVALID_REQUEST when there would be more than `MAX_BUCKETS`
 */
export function bucketStarts(
  { startMs, endMs }: Period,
  interval: Interval,
  field: 'interval' | 'start' = 'interval',
): number[] {
  const starts: number[] = [];
  let bucketMs = bucketOf(startMs, interval);
  while (bucketMs <= endMs) {
    if (starts.length === MAX_BUCKETS) throw tooManyBuckets(interval, field);
    starts.push(bucketMs);
    bucketMs = bucketAfter(bucketMs, interval);
  }
  return starts;
}

function bucketOf(timeMs: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
    case 'day':
      return Math.floor(timeMs / DAY_MS) * DAY_MS;
    case 'week':
      return Math.floor((timeMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
    case 'month': {
      const time = new Date(timeMs);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1);
    }
  }
}

function bucketAfter(bucketMs: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return bucketMs + HOUR_MS;
    case 'day':
      return bucketMs + DAY_MS;
    case 'week':
      return bucketMs + WEEK_MS;
    case 'month': {
      const time = new Date(bucketMs);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1);
    }
  }
}

function tooManyBuckets(interval: Interval, field: 'interval' | 'start'): AppError {
  const remedy = field === 'interval' ? 'a longer interval or a shorter period' : 'a shorter period';
  return new AppError('INVALID_REQUEST', {
    message: `This period has more than ${MAX_BUCKETS} intervals of one ${interval}: choose ${remedy}.`,
    field,
  });
}
