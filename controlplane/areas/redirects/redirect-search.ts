import type { Database, Queryable } from '../../storage/postgres/database.js';
import { queryWithin } from '../../storage/postgres/query-within.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import type { ListPosition } from './list-cursor.js';
import type { Redirect } from './redirect.js';
import { COLUMNS, type RedirectRow, ROW_VERSION, toRedirect } from './redirect-rows.js';
import { HAS_STATUS, type RedirectStatus } from './redirect-status.js';
import { patternOf, SEARCHED_TEXT, type SearchedWord, selectiveWords, wordsOf } from './search-text.js';

export const SORT_FIELDS = ['createdAt', 'updatedAt', 'fromDomain'] as const;
type SortField = (typeof SORT_FIELDS)[number];
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);
export type Sort = SortField | `-${SortField}`;

interface SortColumn {
  readonly column: string;
  /** SQL for the sort key of a row, as text. */
  readonly key: string;
  /** SQL for the value of a sort key. */
  toValue(key: string): string;
  /** Format of keys. Other values could cause a database error. */
  readonly form: RegExp;
}

/** Times have microseconds, as in the database. */
const timeColumn = (column: string): SortColumn => ({
  column,
  key: `(extract(epoch FROM ${column}) * 1000000)::bigint::text`,
  toValue: (key) => `('epoch'::timestamptz + ${key}::bigint * interval '1 microsecond')`,
  form: /^\d{1,17}$/,
});

const SORT_COLUMNS: Readonly<Record<SortField, SortColumn>> = {
  createdAt: timeColumn('created_at'),
  updatedAt: timeColumn('updated_at'),
  fromDomain: {
    column: 'from_domain',
    key: 'from_domain',
    toValue: (key) => `${key}::text`,
    form: /^[ -~]{1,300}$/,
  },
};

/** Returns whether a position can be one of a list in this order. */
export function isPosition(sort: Sort, { key, id }: ListPosition): boolean {
  return columnOf(sort).form.test(key) && /^[ -~]{1,128}$/.test(id);
}

function columnOf(sort: Sort): SortColumn {
  return SORT_COLUMNS[sort.replace('-', '') as SortField];
}

/** SQL condition for deleted redirects that can still be restored. */
const RESTORABLE = `deleted_at IS NOT NULL AND deleted_at > now() - make_interval(days => ${RESTORABLE_DAYS})`;

/** Bounds of the work for one page of a filtered list. */
export interface SearchBounds {
  /** Rows to read in the order of the list before reading the indexes of texts, tags and states. */
  readonly readFirst: number;
  /** Matches to read from these indexes, and to sort. */
  readonly sorted: number;
  /** Time limit of reads from these indexes. */
  readonly indexTimeoutMs: number;
  /** Rows to read in the order of the list when the indexes do not help. */
  readonly readPerPage: number;
}

export const SEARCH_BOUNDS: SearchBounds = {
  readFirst: 3_000,
  sorted: 5_000,
  indexTimeoutMs: 250,
  readPerPage: 8_000,
};
/** Filter for redirects of a user; without members it selects all. */
export interface RedirectFilter {
  readonly search?: string | undefined;
  readonly status?: RedirectStatus | undefined;
  readonly verified?: boolean | undefined;
  readonly tag?: string | undefined;
  readonly health?: RedirectHealth | undefined;
  /** Selects redirects that are deleted and can be restored, instead of live ones. Default: no. */
  readonly deleted?: boolean | undefined;
}

/** Health of the destinations of a redirect. */
export const REDIRECT_HEALTHS = ['ok', 'broken', 'unknown'] as const;
export type RedirectHealth = (typeof REDIRECT_HEALTHS)[number];

/** A redirect of a list. `deletedAt` is null for live ones. */
export interface SearchedRedirect extends Redirect {
  readonly deletedAt: Date | null;
}

/** A page. It can have fewer redirects than its limit, or none, although a next page exists. */
export interface SearchedPage {
  readonly redirects: readonly SearchedRedirect[];
  /** Position after which the next page begins; undefined on the last page. */
  readonly next: ListPosition | undefined;
}

/** A page of a list without a filter. The version changes with each redirect in it, and with the one after it. */
export interface PlainPage extends SearchedPage {
  readonly version: string;
}

export interface PageRange {
  readonly sort: Sort;
  readonly limit: number;
  readonly after?: ListPosition | undefined;
}

export interface PageOptions extends PageRange {
  readonly bounds?: SearchBounds;
}

interface SearchedRow extends RedirectRow {
  readonly deletedAt: Date | null;
  readonly sort_key: string;
  /** Present without a filter. */
  readonly row_version?: string;
}

/** Removes the columns that the statements of lists add to a row. */
function toSearched(listed: SearchedRow & Partial<ReadRow & SortedRow>): SearchedRedirect {
  const {
    sort_key: _,
    row_version: _v,
    is_match: _m,
    place: _p,
    with_words: _w,
    found_rows: _f,
    ...others
  } = listed;
  const { deletedAt, ...row } = others;
  return { ...toRedirect(row), deletedAt };
}

/**
 * SQL of `GET /redirects`. Pages are found by the key of the last row, so they stay stable during concurrent writes.
 */
export const redirectSearch = {
  /**
   * Reads a page. A filtered list takes up to three steps: the first rows in its order; the indexes of texts, tags and
   * states; more rows in its order. The last step ends after a bounded number of rows; a filter with few matches must
   * not read a million redirects. The next page continues from there.
   */
  async page(
    database: Database,
    userId: string,
    filter: RedirectFilter,
    { sort, limit, after, bounds = SEARCH_BOUNDS }: PageOptions,
  ): Promise<SearchedPage> {
    const list = orderedList(userId, filter, sort);
    if (list.filters.length === 0) {
      return pageOf(await database.query<SearchedRow>(...list.rows(after, limit + 1)), limit, undefined);
    }
    const words = database.kind === 'server' ? wordsOf(filter.search) : [];
    const read = async (
      from: ListPosition | undefined,
      rows: number,
      { wanted, counted = [] }: { readonly wanted: number; readonly counted?: readonly SearchedWord[] },
    ): Promise<ReadRows> => {
      const found = await database.query<ReadRow>(...list.filtered(from, rows, wanted, counted));
      const last = found.find(({ place }) => place === rows);
      return {
        matches: found.filter(({ is_match }) => is_match),
        end: last && positionOf(last),
        withWords: last?.with_words ?? [],
      };
    };
    let matches: readonly SearchedRow[] = [];
    let from = after;
    if (after?.isRead !== true) {
      const first = await read(after, bounds.readFirst, { wanted: limit + 1, counted: words });
      if (first.matches.length > limit || first.end === undefined)
        return pageOf(first.matches, limit, undefined);
      const indexed = selectiveWords(words, first.withWords, bounds.readFirst);
      if (indexed.length > 0 || hasIndex(filter)) {
        const sql = list.sorted(after, bounds.sorted, limit + 1, indexed);
        const found = await queryWithin<SortedRow>(database, bounds.indexTimeoutMs, ...sql);
        if (found !== undefined && (found[0]?.found_rows ?? 0) <= bounds.sorted)
          return pageOf(found, limit, undefined);
      }
      matches = first.matches;
      from = first.end;
    }
    const more = await read(from, bounds.readPerPage, { wanted: limit + 1 - matches.length });
    return pageOf([...matches, ...more.matches], limit, more.end, true);
  },

  /** Reads a page of the live redirects. */
  async plainPage(
    database: Queryable,
    userId: string,
    { sort, limit, after }: PageRange,
  ): Promise<PlainPage> {
    const rows = await database.query<SearchedRow>(...orderedList(userId, {}, sort).rows(after, limit + 1));
    const version = rows.map(({ row_version }) => row_version).join(',');
    return { ...pageOf(rows, limit, undefined), version };
  },

  /** Reads the version of `plainPage`, in a fraction of its time. */
  async plainVersion(
    database: Queryable,
    userId: string,
    { sort, limit, after }: PageRange,
  ): Promise<string> {
    const [sql, params] = orderedList(userId, {}, sort).rows(after, limit + 1, ROW_VERSION);
    const [row] = await database.query<{ version: string }>(
      `SELECT coalesce(string_agg(row_version, ','), '') AS version FROM (${sql}) AS listed`,
      params,
    );
    return row?.version ?? '';
  },
};

interface ReadRow extends SearchedRow {
  readonly is_match: boolean;
  readonly place: number;
  /** Number of rows so far with each counted word of the searched text. */
  readonly with_words: readonly number[];
}
interface SortedRow extends SearchedRow {
  readonly found_rows: number;
}
interface ReadRows {
  readonly matches: readonly SearchedRow[];
  /** The last row that was read; undefined at the end of the list. */
  readonly end: ListPosition | undefined;
  readonly withWords: readonly number[];
}
type Statement = [sql: string, params: unknown[]];

/** Creates the statements of a list in its order. */
function orderedList(userId: string, filter: RedirectFilter, sort: Sort) {
  const { column, key, toValue } = columnOf(sort);
  const isDescending = sort.startsWith('-');
  const direction = isDescending ? 'DESC' : 'ASC';
  const order = `ORDER BY ${column} ${direction}, id ${direction}`;
  const columns = `${COLUMNS}, deleted_at AS "deletedAt", ${key} AS sort_key`;
  const { where, conditions, textAt, filters, params: common } = conditionsOf(userId, filter);

  /** @param limit of the rows, the last parameter */
  function beyond(after: ListPosition | undefined, limit: number) {
    if (after === undefined) return { base: where.join(' AND '), params: [...common, limit] };
    const params = [...common, after.key, after.id, limit];
    const position = `(${toValue(`$${params.length - 2}`)}, $${params.length - 1}::text)`;
    const isBeyond = `(${column}, id) ${isDescending ? '<' : '>'} ${position}`;
    return { base: [...where, isBeyond].join(' AND '), params };
  }

  return {
    filters,
    /** Reads rows without the filter. */
    rows(after: ListPosition | undefined, limit: number, selected = `${columns}, ${ROW_VERSION}`): Statement {
      const { base, params } = beyond(after, limit);
      return [
        `SELECT ${selected} AS row_version FROM redirects WHERE ${base} ${order} LIMIT $${params.length}`,
        params,
      ];
    },
    /**
     * Reads a number of rows in order. Returns the matches, up to `limit`, and always the last row.
     *
     * @param counted words of the searched text to count
     */
    filtered(
      after: ListPosition | undefined,
      rows: number,
      limit: number,
      counted: readonly SearchedWord[],
    ): Statement {
      const { base, params } = beyond(after, limit + 1);
      const limitAt = params.length;
      const counts = counted.map(
        ({ word }) => `count(*) FILTER (WHERE ${hasText('text', params.push(word))}) OVER so_far`,
      );
      const isMatch = textAt === undefined ? 'passes' : `passes AND ${hasText('text', textAt)}`;
      // The text of a row is built once. Other columns are read only for rows that match.
      return [
        `SELECT ${columns}, is_match, place, with_words
         FROM (SELECT id AS read_id, read_key, ${isMatch} AS is_match, row_number() OVER so_far AS place,
             ARRAY[${counts.join(', ')}]::integer[] AS with_words
           FROM (SELECT id, ${column} AS read_key, ${conditions.join(' AND ') || 'true'} AS passes,
               ${textAt === undefined ? 'NULL' : SEARCHED_TEXT} AS text
             FROM redirects WHERE ${base} ${order} LIMIT ${rows}) AS first_rows
           WINDOW so_far AS (ORDER BY read_key ${direction}, id ${direction} ROWS UNBOUNDED PRECEDING)) AS read
           JOIN redirects ON id = read_id
         WHERE is_match OR place = ${rows}
         ORDER BY read_key ${direction}, read_id ${direction} LIMIT $${limitAt}`,
        params,
      ];
    },
    /** Reads all matches, at most `max` + 1, and sorts them. @param indexed words of the text for the index */
    sorted(
      after: ListPosition | undefined,
      max: number,
      limit: number,
      indexed: readonly SearchedWord[],
    ): Statement {
      const { base, params } = beyond(after, limit);
      const limitAt = params.length;
      const where = [
        base,
        ...filters,
        ...indexed.map(({ part }) => hasPattern(params.push(patternOf(part)))),
      ];
      return [
        `WITH found AS MATERIALIZED (SELECT * FROM redirects WHERE ${where.join(' AND ')} LIMIT ${max + 1})
         SELECT ${columns}, (SELECT count(*) FROM found) AS found_rows FROM found ${order} LIMIT $${limitAt}`,
        params,
      ];
    },
  };
}

const positionOf = ({ sort_key, id }: SearchedRow): ListPosition => ({ key: sort_key, id });

/**
 * @param end position of the last row that was read, if the list continues there
 * @param isRead whether the next page starts with reading rows in order
 */
function pageOf(
  rows: readonly SearchedRow[],
  limit: number,
  end: ListPosition | undefined,
  isRead = false,
): SearchedPage {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? end : positionOf(last);
  return { redirects: shown.map(toSearched), next: next && (isRead ? { ...next, isRead } : next) };
}

/** Returns whether an index other than the index of texts supports a part of the filter. */
export function hasIndex({ status, verified, tag, health }: RedirectFilter): boolean {
  return (
    (status !== undefined && status !== 'active') ||
    verified === false ||
    tag !== undefined ||
    (health !== undefined && health !== 'unknown')
  );
}

/** SQL condition that `text` contains the parameter with this number. No index supports it. */
export const hasText = (text: string, parameter: number) => `strpos(${text}, lower($${parameter})) > 0`;

/**
 * SQL condition that the searched text matches the pattern in the parameter with this number. The trigram index supports it.
 */
export const hasPattern = (parameter: number) => `${SEARCHED_TEXT} LIKE lower($${parameter})`;

/**
 * Returns the SQL conditions of the list and of the filter without the text, and the position of the text in `params`.
 */
export function conditionsOf(
  userId: string,
  { search, status, verified, tag, health, deleted }: RedirectFilter,
) {
  const params: unknown[] = [userId];
  const where = ['user_id = $1', deleted === true ? RESTORABLE : 'deleted_at IS NULL'];
  const conditions: string[] = [];
  const textAt = search === undefined ? undefined : params.push(search);
  if (status !== undefined) conditions.push(HAS_STATUS[status]);
  if (verified !== undefined) conditions.push(`verified_at IS ${verified ? 'NOT NULL' : 'NULL'}`);
  // The first condition lets the planner use the index of redirects with tags.
  if (tag !== undefined) conditions.push(`tags <> '{}' AND tags @> ARRAY[$${params.push(tag)}::text]`);
  // As a constant, the value lets the planner use the partial index.
  if (health !== undefined) conditions.push(`health = '${health}'`);
  const filters = textAt === undefined ? conditions : [...conditions, hasText(SEARCHED_TEXT, textAt)];
  return { where, conditions, textAt, filters, params };
}
