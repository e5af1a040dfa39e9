import { AppError } from '../../errors/app-error.js';

/** A difference to UTC, and the time from which it applies. */
export interface ZoneOffset {
  /** Unix time in milliseconds. */
  readonly startMs: number;
  /** Local time minus UTC, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * A time zone of the IANA database. Local times are numbers too: the Unix time at which a clock in UTC shows the same
 * date and time.
 */
export interface TimeZone {
  /** Name of the zone in the caller's spelling. */
  readonly name: string;
  /** Whether its clocks always show UTC. */
  isUtc(): boolean;
  /** Returns the offsets of a period, in order. The first one begins at or before it. */
  offsetsOf(stretch: { readonly startMs: number; readonly endMs: number }): readonly ZoneOffset[];
  localOf(timeMs: number): number;
  /** Returns the first moment at which clocks show this local time or, if they skip it, a later one. */
  momentOf(localMs: number): number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Years of the hits in the store. Before and after, the offset is that of the nearest moment. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2106;
const FIRST_MS = Date.UTC(FIRST_YEAR, 0, 1);
const LAST_MS = Date.UTC(LAST_YEAR + 1, 0, 1) - 1;
/** No zone changes its offset twice within this many days. */
const STEP_MS = 7 * DAY_MS;
const MAX_ZONES = 1_000;
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

export const UTC: TimeZone = {
  name: 'UTC',
  isUtc: () => true,
  offsetsOf: () => [{ startMs: FIRST_MS, offsetMs: 0 }],
  localOf: (timeMs) => timeMs,
  momentOf: (localMs) => localMs,
};

/** Zones by the name of `Intl`, for all spellings. There are some 600 names, each with its years. */
const zones = new Map<string, TimeZone>([['UTC', UTC]]);

/**
 * Parses the name of a time zone.
 *
 * @throws AppError INVALID_REQUEST for an unknown time zone
 */
export function parseTimeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = NAME.test(name) ? formatOf(name) : undefined;
  if (format === undefined) {
    const message =
      'timezone must be a name of the IANA time zone database, such as UTC, Europe/Berlin or Asia/Kolkata.';
    throw new AppError('INVALID_REQUEST', { message, field: 'timezone' });
  }
  const canonical = format.resolvedOptions().timeZone;
  const zone = zones.get(canonical) ?? createTimeZone(canonical, format);
  if (zones.size < MAX_ZONES) zones.set(canonical, zone);
  return { ...zone, name };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

function createTimeZone(name: string, format: Intl.DateTimeFormat): TimeZone {
  const years = new Map<number, readonly [ZoneOffset, ...ZoneOffset[]]>();

  /** Returns the offsets of a year. `Intl` takes 10 µs per question, so each year is computed once. */
  function offsetsOfYear(year: number): readonly [ZoneOffset, ...ZoneOffset[]] {
    let offsets = years.get(year);
    if (offsets === undefined) {
      offsets = findOffsets(format, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
      years.set(year, offsets);
    }
    return offsets;
  }

  function offsetAt(timeMs: number): number {
    const [first, ...others] = offsetsOfYear(yearOf(bounded(timeMs)));
    return (others.findLast(({ startMs }) => startMs <= timeMs) ?? first).offsetMs;
  }

  function offsetsOf({ startMs, endMs }: { startMs: number; endMs: number }): readonly ZoneOffset[] {
    const [from, to] = [bounded(startMs), bounded(endMs)];
    const offsets = [{ startMs: from, offsetMs: offsetAt(from) }];
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      for (const offset of offsetsOfYear(year)) {
        const isChange = offset.offsetMs !== offsets.at(-1)?.offsetMs;
        if (isChange && offset.startMs > from && offset.startMs <= to) offsets.push(offset);
      }
    }
    return offsets;
  }

  let alwaysUtc: boolean | undefined;
  /** Searches all years once. Nearly all zones had another offset in the first one. */
  function isUtc(): boolean {
    if (alwaysUtc === undefined) {
      alwaysUtc = true;
      for (let year = FIRST_YEAR; alwaysUtc && year <= LAST_YEAR; year += 1) {
        alwaysUtc = offsetsOfYear(year).every(({ offsetMs }) => offsetMs === 0);
      }
    }
    return alwaysUtc;
  }

  return {
    name,
    isUtc,
    offsetsOf,
    localOf: (timeMs) => timeMs + offsetAt(timeMs),
    momentOf(localMs) {
      // Offsets are below a day. The moment is in the first stretch that has this local time or begins after it.
      const around = offsetsOf({ startMs: localMs - DAY_MS, endMs: localMs + DAY_MS });
      for (const [index, { startMs, offsetMs }] of around.entries()) {
        const timeMs = index === 0 ? localMs - offsetMs : Math.max(localMs - offsetMs, startMs);
        if (timeMs < (around[index + 1]?.startMs ?? Number.POSITIVE_INFINITY)) return timeMs;
      }
      return localMs;
    },
  };
}

/** Returns the offset at `fromMs`, and each later one that begins before `toMs`. */
function findOffsets(
  format: Intl.DateTimeFormat,
  fromMs: number,
  toMs: number,
): readonly [ZoneOffset, ...ZoneOffset[]] {
  const offsetAt = (timeMs: number) => readOffset(format, timeMs);
  const first = { startMs: fromMs, offsetMs: offsetAt(fromMs) };
  const changes: ZoneOffset[] = [];
  let { offsetMs } = first;
  for (let lowMs = fromMs; lowMs < toMs - 1; ) {
    const highMs = Math.min(lowMs + STEP_MS, toMs - 1);
    const next = offsetAt(highMs);
    if (next !== offsetMs) changes.push({ startMs: firstMoment(offsetAt, lowMs, highMs), offsetMs: next });
    offsetMs = next;
    lowMs = highMs;
  }
  return [first, ...changes];
}

/** Returns the first moment with the offset of `highMs`, which differs from that of `lowMs`. */
function firstMoment(offsetAt: (timeMs: number) => number, lowMs: number, highMs: number): number {
  const offsetMs = offsetAt(highMs);
  let [before, from] = [lowMs, highMs];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (offsetAt(middle) === offsetMs) from = middle;
    else before = middle;
  }
  return from;
}

function readOffset(format: Intl.DateTimeFormat, timeMs: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(format.format(timeMs)) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === '-' ? -offsetMs : offsetMs;
}

const bounded = (timeMs: number) => Math.min(Math.max(timeMs, FIRST_MS), LAST_MS);
const yearOf = (timeMs: number) => new Date(timeMs).getUTCFullYear();
