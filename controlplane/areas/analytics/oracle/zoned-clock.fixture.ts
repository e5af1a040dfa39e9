import type { Interval } from '../intervals.js';
import { DAY_MS, HOUR_MS, type Period } from '../period.js';

/** Days and hours of all zones begin at quarters of an hour. Their clocks change when an hour of UTC begins. */
const QUARTER_MS = 900_000;

/** Local times of a zone, read from `Intl` hour by hour. */
export interface ZonedClock {
  /** Unix time at which a clock in UTC shows the same. */
  localOf(timeMs: number): number;
  /** Returns the first moment at which clocks show this or a later time. */
  momentOf(localMs: number): number;
  /** A text that is the same for all moments of a bucket. */
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
  const offsetByHour = new Map<number, number>();
  const quarterOf = (timeMs: number) => Math.floor(timeMs / QUARTER_MS) * QUARTER_MS;

  const localOf = (timeMs: number) => {
    const hour = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
    let offset = offsetByHour.get(hour);
    if (offset === undefined) {
      const shown = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(hour)) ?? [];
      const [day = 0, month = 0, year = 0, hours = 0, minutes = 0] = shown.slice(1).map(Number);
      offset = Date.UTC(year, month - 1, day, hours, minutes) - hour;
      offsetByHour.set(hour, offset);
    }
    return timeMs + offset;
  };

  const bucketOf = (timeMs: number, interval: Interval) => {
    const local = localOf(timeMs);
    // A repeated hour counts as two hours.
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

/** Computed from the calendar. */
function localBucket(localMs: number, interval: Interval): number {
  const time = new Date(localMs);
  const dayMs = time.setUTCHours(0, 0, 0, 0);
  if (interval === 'week') return time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  return interval === 'month' ? time.setUTCDate(1) : dayMs;
}
