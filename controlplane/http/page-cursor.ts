import { AppError } from '../errors/app-error.js';

/** Position in a list that is ordered by time and id, most of them newest first. */
export interface PagePosition {
  /** Time as PostgreSQL text, which is more precise than a `Date`. */
  readonly at: string;
  readonly id: string;
}

/** Follows every position: the start of a list. */
export const FIRST_PAGE: PagePosition = { at: 'infinity', id: '' };

const AT_FORM = /^(?<day>\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;

/** Returns the time of a position as Unix time in ms, without its microseconds; NaN if it is not a time. */
export function timeOfPosition({ at }: Pick<PagePosition, 'at'>): number {
  if (at === 'infinity') return Number.POSITIVE_INFINITY;
  if (at === '-infinity') return Number.NEGATIVE_INFINITY;
  const day = AT_FORM.exec(at)?.groups?.day;
  // `Date` would take 30 February for 2 March.
  if (day === undefined || !dayExists(day)) return Number.NaN;
  return Date.parse(at.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}

function dayExists(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day) && !day.startsWith('0000');
}

export function encodeCursor({ at, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

/**
 * @param first position of the first page
 * @throws {AppError} INVALID_REQUEST when the cursor was not made by `encodeCursor`
 */
export function decodeCursor(cursor: string | undefined, first = FIRST_PAGE): PagePosition {
  if (cursor === undefined) return first;
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof at === 'string' && typeof id === 'string' && isPosition({ at, id })) return { at, id };
  } catch {
    // Refused below.
  }
  throw new AppError('INVALID_REQUEST', {
    field: 'cursor',
    message: 'cursor must be the nextCursor of an earlier page, or be left out.',
  });
}

/** Returns whether PostgreSQL takes both parts of a position. */
function isPosition(position: PagePosition): boolean {
  return !Number.isNaN(timeOfPosition(position)) && !position.id.includes('\0');
}

/** Cuts a page out of `limit + 1` rows. */
export function toPage<Row extends PagePosition, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): { data: Item[]; page: { limit: number; nextCursor: string | null } } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(last) : null;
  return { data: shown.map(toItem), page: { limit, nextCursor } };
}

/** Maximum number of rows that are read for one page of a list with a filter that no index helps. */
export const READ_PER_PAGE = 20_000;

/** Row of a list with a filter: a row that matches, or the last row that was read. */
export interface ReadRow extends PagePosition {
  readonly isMatch: boolean;
  /** Number of the row on this page, from 1. */
  readonly place: number;
}

/**
 * Makes a page from the rows of one read. They contain at most one match more than `limit`. The page can have fewer
 * items than `limit`, even zero, and still have a next page.
 */
export function toReadPage<Row extends ReadRow, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  readPerPage = READ_PER_PAGE,
): { data: Item[]; page: { limit: number; nextCursor: string | null } } {
  const page = toPage(
    rows.filter(({ isMatch }) => isMatch),
    limit,
    toItem,
  );
  const last = rows.find(({ place }) => place === readPerPage);
  if (page.page.nextCursor !== null || last === undefined) return page;
  return { ...page, page: { limit, nextCursor: encodeCursor(last) } };
}
