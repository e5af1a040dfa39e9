import { AppError } from '../../errors/app-error.js';
import { readMoment } from '../analytics/public.js';

// Dates that RFC 3339 can express and PostgreSQL can store, minus a day for offsets.
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 30);

/** Maximum length of a date in a request. */
export const MAX_DATE_LENGTH = 40;

/**
 * Reads a date of a request body: a timestamp, in UTC unless it names another zone, or only a date. As a start, a date
 * means its first moment (UTC); as an end, its last moment.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function parseDateField(text: string | null, field: string, bound: 'start' | 'end'): Date | null {
  if (text === null) return null;
  const timeMs = readMoment(text, bound);
  if (timeMs !== undefined && timeMs >= EARLIEST_MS && timeMs < LATEST_MS) return new Date(timeMs);
  throw new AppError('VALIDATION_ERROR', {
    field,
    message: `${field} must be an ISO 8601 timestamp (2026-01-31T08:00:00Z, with Z or an offset; without either it is UTC) or a date (2026-01-31), in the years 1900 to 9999, or null.`,
  });
}
