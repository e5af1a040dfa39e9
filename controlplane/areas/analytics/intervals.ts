import { AppError } from '../../errors/app-error.js';
import { DAY_MS, HOUR_MS, type Period } from './period.js';
import { type TimeZone, UTC } from './time-zone.js';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];
type LongInterval = Exclude<Interval, 'hour'>;

/** Maximum number of buckets. More would make an answer of megabytes. It is 2.8 years of hours or 68 years of days. */
export const MAX_BUCKETS = 25_000;

const WEEK_MS = 7 * DAY_MS;
/** 1 January 1970 was a Thursday: the Monday before it. */
const FIRST_MONDAY_MS = -3 * DAY_MS;

/**
 * Returns the starts of all buckets that the period touches, in order, without gaps. The first may begin before the
 * period. Weeks begin on Monday. Hours, days, weeks and months are those of the time zone. If the zone's offset changes
 * by a part of an hour, an hour ends early and the next one begins at the change.
 *
 * @param field parameter that the caller can change: the length of the buckets, or only the start of the period
 * @throws AppError INVALID_REQUEST for more than `MAX_BUCKETS`
 */
export function bucketStarts(
  { startMs, endMs }: Period,
  interval: Interval,
  zone: TimeZone = UTC,
  field: 'interval' | 'start' = 'interval',
): number[] {
  const starts: number[] = [];
  const add = (timeMs: number) => {
    if (starts.length === MAX_BUCKETS) throw tooManyBuckets(interval, field);
    starts.push(timeMs);
  };
  if (interval === 'hour') {
    for (const stretch of stretchesOf({ startMs, endMs }, zone)) {
      let hourMs = hourOf(stretch.startMs, stretch);
      add(Math.max(hourMs, stretch.offsetFromMs));
      for (hourMs += HOUR_MS; hourMs <= stretch.endMs; hourMs += HOUR_MS) add(hourMs);
    }
    return starts;
  }
  const [one, other] = [zone.localOf(startMs), zone.localOf(endMs)];
  const lastMs = Math.max(one, other);
  // Local time may run backwards within the period.
  for (let ms = bucketOf(Math.min(one, other), interval); ms <= lastMs; ms = bucketAfter(ms, interval)) {
    add(zone.momentOf(ms));
  }
  return starts;
}

/** Returns the number of hours of the time zone that the period touches. */
export function hoursOf(period: Period, zone: TimeZone): number {
  return stretchesOf(period, zone).reduce(
    (sum, stretch) => sum + (hourOf(stretch.endMs, stretch) - hourOf(stretch.startMs, stretch)) / HOUR_MS + 1,
    0,
  );
}

/** A part of the period without a change of offset. */
interface Stretch extends Period {
  readonly offsetMs: number;
  /** Start of the offset if it is within the period. */
  readonly offsetFromMs: number;
}

function stretchesOf(period: Period, zone: TimeZone): Stretch[] {
  const offsets = zone.offsetsOf(period);
  return offsets.map(({ startMs, offsetMs }, index) => ({
    startMs: index === 0 ? period.startMs : startMs,
    endMs: (offsets[index + 1]?.startMs ?? period.endMs + 1) - 1,
    offsetMs,
    offsetFromMs: index === 0 ? Number.NEGATIVE_INFINITY : startMs,
  }));
}

function hourOf(timeMs: number, { offsetMs }: Stretch): number {
  return Math.floor((timeMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
}

/** Returns the start of the bucket that contains a local time. */
function bucketOf(timeMs: number, interval: LongInterval): number {
  switch (interval) {
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

function bucketAfter(bucketMs: number, interval: LongInterval): number {
  switch (interval) {
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
