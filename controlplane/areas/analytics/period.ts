import { AppError } from '../../errors/app-error.js';
import { type TimeZone, UTC } from './time-zone.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DEFAULT_PERIOD_DAYS = 30;

/** A period that includes both ends. Unix times in milliseconds. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** The period as a caller gives it; either end may be absent. */
export interface PeriodQuery {
  readonly start?: string;
  readonly end?: string;
}

/**
 * Parses a period. A date alone as `start` is its first millisecond, as `end` its last. Without `end` the period ends
 * at `now`; without `start` it covers 30 calendar days, including the day of its end. Dates, and timestamps without
 * an offset, are in the time zone.
 *
 * @throws AppError INVALID_REQUEST naming the parameter
 */
export function parsePeriod({ start, end }: PeriodQuery, now: Date, zone: TimeZone = UTC): Period {
  const endMs = end === undefined ? now.getTime() : parseMoment(end, 'end', zone);
  const startMs =
    start === undefined
      ? zone.momentOf(startOfDay(zone.localOf(endMs)) - (DEFAULT_PERIOD_DAYS - 1) * DAY_MS)
      : parseMoment(start, 'start', zone);
  if (startMs > endMs) {
    const message = `start (${iso(startMs)}) must not be after end (${iso(endMs)}).`;
    throw new AppError('INVALID_REQUEST', { message, field: 'start' });
  }
  return { startMs, endMs };
}

/** Returns the number of calendar days that the period touches. */
export function daysOf({ startMs, endMs }: Period, zone: TimeZone = UTC): number {
  return (startOfDay(zone.localOf(endMs)) - startOfDay(zone.localOf(startMs))) / DAY_MS + 1;
}

/**
 * Returns the period of equal length before this one. For whole days it has as many days, even if some have an hour
 * more or less.
 */
export function periodBefore(period: Period, zone: TimeZone = UTC): Period {
  const { startMs, endMs } = period;
  const firstDayMs = startOfDay(zone.localOf(startMs));
  const dayAfterMs = startOfDay(zone.localOf(endMs)) + DAY_MS;
  const isOfWholeDays = zone.momentOf(firstDayMs) === startMs && zone.momentOf(dayAfterMs) === endMs + 1;
  const beforeMs = isOfWholeDays
    ? zone.momentOf(firstDayMs - daysOf(period, zone) * DAY_MS)
    : startMs - (endMs - startMs + 1);
  return { startMs: beforeMs, endMs: startMs - 1 };
}

/** Formats a time in ISO 8601 with milliseconds and `Z`. */
export function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Returns the last midnight (UTC) at or before a time. */
export function startOfDay(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
// ISO 8601 extended format. A blank before an offset is a `+` that was not percent-encoded in the query.
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z)|([+\- ])(\d{2})(?::?(\d{2}))?)?$/i;

// The range of the store's DateTime64(3), with a day to spare at the end for offsets.
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31) - 1;

function parseMoment(text: string, field: 'start' | 'end', zone: TimeZone): number {
  const timeMs = readMoment(text, field, zone);
  if (timeMs === undefined || timeMs < EARLIEST_MS || timeMs > LATEST_MS) {
    const message = `${field} must be a date (2026-01-31) or an ISO 8601 timestamp (2026-01-31T08:00:00Z, with Z or an offset; without either it is ${zone.name}), in the years 1900 to 2299.`;
    throw new AppError('INVALID_REQUEST', { message, field });
  }
  return timeMs;
}

/** Parses a date or an ISO 8601 timestamp. A date alone is its first moment, as an end its last. */
export function readMoment(text: string, edge: 'start' | 'end', zone: TimeZone = UTC): number | undefined {
  const dayMs = parseDate(text);
  if (dayMs === undefined) return parseTimestamp(text, zone);
  return edge === 'end' ? zone.momentOf(dayMs + DAY_MS) - 1 : zone.momentOf(dayMs);
}

/** Returns the first millisecond of a day, if it exists. */
function parseDate(text: string): number | undefined {
  const parts = DATE.exec(text);
  if (parts === null) return undefined;
  const timeMs = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return iso(timeMs).startsWith(text) ? timeMs : undefined;
}

function parseTimestamp(text: string, zone: TimeZone): number | undefined {
  const parts = TIMESTAMP.exec(text);
  if (parts === null) return undefined;
  const [
    ,
    date = '',
    hour,
    minute,
    second = '0',
    fraction = '',
    isUtc,
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = parts;
  const dayMs = parseDate(date);
  const inRange = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const offsetInRange = Number(offsetHour) < 24 && Number(offsetMinute) < 60;
  if (dayMs === undefined || !inRange || !offsetInRange) return undefined;

  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const statedMs = dayMs + seconds * 1000 + milliseconds;
  if (isUtc === undefined && sign === undefined) return zone.momentOf(statedMs);
  return statedMs + (sign === '-' ? offsetMs : -offsetMs);
}
