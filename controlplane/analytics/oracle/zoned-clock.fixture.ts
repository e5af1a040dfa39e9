import type { Interval } from '../intervals.js';
import { DAY_MS, HOUR_MS, type Period } from '../period.js';

/** Offsets of all zones change at quarters of an hour. */
const QUARTER_MS = 900_000;

/** What clocks of a time zone show, read from `Intl` quarter by quarter. */
export interface ZonedClock {
  /** As the Unix time at which a clock in UTC shows the same. */
  localOf(timeMs: number): number;
  /** The first moment at which clocks show this or something later. */
  momentOf(localMs: number): number;
  /** The same text for all moments of a bucket. */
  bucketOf(timeMs: number, interval: Interval): string;
  /** All buckets that a period touches. */
  bucketsOf(period: Period, interval: Interval): { readonly bucket: string; readonly startMs: number }[];
}

const clocks = new Map<string, ZonedClock>();

export function clockOf(zone: string): ZonedClock {
  const clock = clocks.get(zone) ?? createClock(zone);
  clocks.set(zone, clock);
  return clock;
}

function createClock(zone: string): ZonedClock {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const localByQuarter = new Map<number, number>();
  const quarterOf = (timeMs: number) => Math.floor(timeMs / QUARTER_MS) * QUARTER_MS;

  const localOf = (timeMs: number) => {
    const quarter = quarterOf(timeMs);
    let local = localByQuarter.get(quarter);
    if (local === undefined) {
      const [, day, month, year, hour, minute] =
        /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(quarter)) ?? [];
      local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
      localByQuarter.set(quarter, local);
    }
    return local + timeMs - quarter;
  };

  const bucketOf = (timeMs: number, interval: Interval) => {
    const local = localOf(timeMs);
    // An hour that comes twice is two hours.
    return interval === 'hour'
      ? `${Math.floor(local / HOUR_MS)} ${local - timeMs}`
      : String(localBucket(local, interval));
  };

  return {
    localOf,
    bucketOf,
    momentOf(localMs) {
      let timeMs = localMs - DAY_MS;
      while (localOf(timeMs) < localMs) timeMs += QUARTER_MS;
      return timeMs;
    },
    bucketsOf({ startMs, endMs }, interval) {
      let bucket = bucketOf(startMs, interval);
      let firstMs = quarterOf(startMs);
      while (bucketOf(firstMs - 1, interval) === bucket) firstMs -= QUARTER_MS;
      const buckets = [{ bucket, startMs: firstMs }];
      for (let timeMs = quarterOf(startMs) + QUARTER_MS; timeMs <= endMs; timeMs += QUARTER_MS) {
        const next = bucketOf(timeMs, interval);
        if (next !== bucket) buckets.push({ bucket: next, startMs: timeMs });
        bucket = next;
      }
      return buckets;
    },
  };
}

/** Worked out by the calendar. */
function localBucket(localMs: number, interval: Interval): number {
  const time = new Date(localMs);
  const dayMs = time.setUTCHours(0, 0, 0, 0);
  if (interval === 'week') return time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  return interval === 'month' ? time.setUTCDate(1) : dayMs;
}
