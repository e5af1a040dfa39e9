const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;
/** Search range for the next change of an offset. */
const HORIZON_MS = DAY_MS;
/** Interval between two checks. Changes of one zone are weeks apart, so there is at most one in an interval. */
const STEP_MS = HORIZON_MS / 4;
/** Maximum number of cached zones. About 600 zones exist. */
const MAX_ZONES = 1_000;
const OFFSET = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/;

/** The offset of a zone from UTC while it does not change: from `sinceMs` until before `untilMs`. */
interface Offset {
  readonly offsetMs: number;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/**
 * Computes local hours and weekdays. It caches the UTC offset of each zone until the offset changes, for 24 hours at most.
 * Then it asks Intl again, which takes 0.25 ms. Every other reading is a look-up and an addition.
 */
export class LocalTimes {
  private readonly offsets = new Map<string, Offset>();

  /**
   * Returns the hour at a Unix time in milliseconds, 0 to 23.
   *
   * @param timeZone key from `timeZoneKey` of a valid zone (`isTimeZone`); undefined for UTC
   */
  hourOfDay(timeMs: number, timeZone: string | undefined): number {
    return modulo(Math.floor(this.localMs(timeMs, timeZone) / HOUR_MS), 24);
  }

  /** Returns the weekday, 0 (Sunday) to 6. The parameters are those of `hourOfDay`. */
  dayOfWeek(timeMs: number, timeZone: string | undefined): number {
    return modulo(Math.floor(this.localMs(timeMs, timeZone) / DAY_MS) + FIRST_WEEKDAY, 7);
  }

  private localMs(timeMs: number, timeZone: string | undefined): number {
    if (timeZone === undefined) return timeMs;
    const known = this.offsets.get(timeZone);
    const isCurrent = known !== undefined && timeMs >= known.sinceMs && timeMs < known.untilMs;
    return timeMs + (isCurrent ? known : this.learn(timeMs, timeZone)).offsetMs;
  }

  private learn(timeMs: number, timeZone: string): Offset {
    const offset = offsetAt(timeMs, timeZone);
    if (this.offsets.size >= MAX_ZONES) this.offsets.clear();
    this.offsets.set(timeZone, offset);
    return offset;
  }
}

function offsetAt(timeMs: number, timeZone: string): Offset {
  // Do not cache the formatter: it takes 14 KiB outside of V8's heap.
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const read = (atMs: number) => offsetIn(format, atMs);
  const offsetMs = read(timeMs);
  for (let aheadMs = STEP_MS; aheadMs <= HORIZON_MS; aheadMs += STEP_MS) {
    const laterMs = timeMs + aheadMs;
    if (read(laterMs) === offsetMs) continue;
    return { offsetMs, sinceMs: timeMs, untilMs: changeBetween(laterMs - STEP_MS, laterMs, offsetMs, read) };
  }
  return { offsetMs, sinceMs: timeMs, untilMs: timeMs + HORIZON_MS };
}

/** Returns the first whole second between the two times at which the offset is no longer `offsetMs`. */
function changeBetween(
  beforeMs: number,
  afterMs: number,
  offsetMs: number,
  read: (atMs: number) => number,
): number {
  let before = Math.floor(beforeMs / SECOND_MS);
  let after = Math.ceil(afterMs / SECOND_MS);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (read(middle * SECOND_MS) === offsetMs) before = middle;
    else after = middle;
  }
  return after * SECOND_MS;
}

/** Parses an offset as Intl writes it: `GMT`, `GMT+05:45` or, for times long ago, `GMT-00:44:30`. */
function offsetIn(format: Intl.DateTimeFormat, atMs: number): number {
  const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(text) ?? [];
  const size = Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * SECOND_MS;
  return sign === '-' ? -size : size;
}

/** Returns the remainder, which is never negative. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
