import type { Database, Queryable } from '../../storage/postgres/database.js';
import { queryWithin } from '../../storage/postgres/query-within.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import type { ListPosition } from './list-cursor.js';
import type { Redirect } from './redirect.js';
import { COLUMNS, type RedirectRow, ROW_VERSION, toRedirect } from './redirect-rows.js';
import { HAS_STATUS, type RedirectStatus, STATUS_SQL } from './redirect-status.js';

/** Text that `search` reads, in lower case. The trigram index has the same expression. */
export const SEARCHED_TEXT =
  "lower(from_domain || E'\\n' || to_domain || E'\\n' || note || E'\\n' || coalesce(external_id, ''))";

export const SORT_FIELDS = ['createdAt', 'updatedAt', 'fromDomain'] as const;
type SortField = (typeof SORT_FIELDS)[number];
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);
export type Sort = SortField | `-${SortField}`;

interface SortColumn {
  readonly column: string;
  /** SQL for the key of a row, as text. */
  readonly key: string;
  /** SQL for the value of a key. */
  toValue(key: string): string;
  /** Format of keys. Other values could cause a database error. */
  readonly form: RegExp;
}

/** Times are carried in microseconds, as the database has them. */
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
  /** Rows to read in the order of the list before the indexes of texts, tags and states are used. */
  readonly readFirst: number;
  /** Matches to take from these indexes, and to sort. */
  readonly sorted: number;
  /** Maximum share of the first rows that have all words of a text. The index of texts finds words, and reads all these rows. */
  readonly shareWithWords: number;
  /** Maximum time of these indexes. */
  readonly indexTimeoutMs: number;
  /** Rows to read in the order of the list where the indexes do not help. */
  readonly readPerPage: number;
}

const BOUNDS: SearchBounds = {
  readFirst: 3_000,
  sorted: 5_000,
  shareWithWords: 0.08,
  indexTimeoutMs: 500,
  readPerPage: 8_000,
};
/** Words of `search` that are long enough for a trigram. */
const WORDS = /[\p{L}\p{N}]{3,}/gu;
const MAX_COUNTED_WORDS = 5;
/** Length of the shortest text that has a trigram. */
const TRIGRAM_LENGTH = 3;
/** Most frequent tags in the facets. */
const MAX_TAG_FACETS = 100;

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

/** A page can have fewer redirects than its limit, or none, while there is a next one. */
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

export interface Facets {
  readonly status: Readonly<Partial<Record<RedirectStatus, number>>>;
  readonly tags: Readonly<Record<string, number>>;
}

interface SearchedRow extends RedirectRow {
  readonly deleted_at: Date | null;
  readonly sort_key: string;
}

const toSearched = (row: SearchedRow): SearchedRedirect => ({
  ...toRedirect(row),
  deletedAt: row.deleted_at,
});

/** SQL of `GET /redirects`. Pages are found by the key of the last row, so that they stay stable while others write. */
export const redirectSearch = {
  /**
   * Reads a page. A filtered list is looked for in three steps: the first rows in its order; the indexes of texts, tags and
   * states; more rows in its order. The last step ends after a number of rows, so that a filter with few matches does not
   * read a million redirects. The next page goes on from there.
   */
  async page(
    database: Database,
    userId: string,
    filter: RedirectFilter,
    { sort, limit, after, bounds = BOUNDS }: PageOptions,
  ): Promise<SearchedPage> {
    const list = orderedList(userId, filter, sort);
    if (list.filters.length === 0) {
      return pageOf(await database.query<SearchedRow>(...list.rows(after, limit + 1)), limit, undefined);
    }
    const read = async (from: ListPosition | undefined, rows: number, wanted: number): Promise<ReadRows> => {
      const found = await database.query<ReadRow>(...list.filtered(from, rows, wanted));
      const last = found.find(({ place }) => place === rows);
      return {
        matches: found.filter(({ is_match }) => is_match),
        end: last && positionOf(last),
        withWords: last?.with_words ?? 0,
      };
    };
    let matches: readonly SearchedRow[] = [];
    let from = after;
    if (after?.isRead !== true) {
      const first = await read(after, bounds.readFirst, limit + 1);
      if (first.matches.length > limit || first.end === undefined)
        return pageOf(first.matches, limit, undefined);
      const isFrequent = first.withWords > bounds.shareWithWords * bounds.readFirst;
      if (!isFrequent && hasIndex(filter, database.kind)) {
        const sql = list.sorted(after, bounds.sorted, limit + 1);
        const found = await queryWithin<SortedRow>(database, bounds.indexTimeoutMs, ...sql);
        if (found !== undefined && (found[0]?.found_rows ?? 0) <= bounds.sorted)
          return pageOf(found, limit, undefined);
      }
      matches = first.matches;
      from = first.end;
    }
    const more = await read(from, bounds.readPerPage, limit + 1 - matches.length);
    return pageOf([...matches, ...more.matches], limit, more.end, true);
  },

  /** Reads a page of the live redirects. */
  async plainPage(
    database: Queryable,
    userId: string,
    { sort, limit, after }: PageRange,
  ): Promise<PlainPage> {
    const rows = await database.query<SearchedRow & { readonly row_version: string }>(
      ...orderedList(userId, {}, sort).rows(after, limit + 1),
    );
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

  /** Counts by status; the sum is the number of all that the filter selects. */
  async facets(source: Queryable, userId: string, filter: RedirectFilter): Promise<Facets> {
    const { where, filters, params } = conditionsOf(userId, filter);
    const conditions = [...where, ...filters].join(' AND ');
    const rows = await source.query<{ kind: 'status' | 'tag'; name: string; count: number }>(
      `WITH selected AS (SELECT ${STATUS_SQL} AS status, tags FROM redirects WHERE ${conditions})
       (SELECT 'status' AS kind, status AS name, count(*) AS count FROM selected GROUP BY status)
       UNION ALL
       (SELECT 'tag', tag, count(*) FROM selected, unnest(tags) AS tag GROUP BY tag
        ORDER BY count(*) DESC, tag LIMIT ${MAX_TAG_FACETS})`,
      params,
    );
    const countsOf = (wanted: string) =>
      Object.fromEntries(rows.flatMap(({ kind, name, count }) => (kind === wanted ? [[name, count]] : [])));
    return { status: countsOf('status'), tags: countsOf('tag') };
  },
};

interface ReadRow extends SearchedRow {
  readonly is_match: boolean;
  readonly place: number;
  /** Rows so far that have all words of the searched text. */
  readonly with_words: number;
}
interface SortedRow extends SearchedRow {
  readonly found_rows: number;
}
interface ReadRows {
  readonly matches: readonly SearchedRow[];
  /** The last row that was read; undefined at the end of the list. */
  readonly end: ListPosition | undefined;
  readonly withWords: number;
}
type Statement = [sql: string, params: unknown[]];

/** Makes the statements of a list in its order. */
function orderedList(userId: string, filter: RedirectFilter, sort: Sort) {
  const { column, key, toValue } = columnOf(sort);
  const isDescending = sort.startsWith('-');
  const direction = isDescending ? 'DESC' : 'ASC';
  const order = `ORDER BY ${column} ${direction}, id ${direction}`;
  const columns = `${COLUMNS}, deleted_at, ${key} AS sort_key`;
  const { where, filters, params: common } = conditionsOf(userId, filter);

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
    /** Reads a number of rows in order. Returns those that match, up to `limit`, and the last one in any case. */
    filtered(after: ListPosition | undefined, rows: number, limit: number): Statement {
      const { base, params } = beyond(after, limit + 1);
      const limitAt = params.length;
      const hasWords = wordsOf(filter).map(
        (word) => `${SEARCHED_TEXT} LIKE $${params.push(patternOf(word))}`,
      );
      const words = hasWords.length === 0 ? 'false' : hasWords.join(' AND ');
      return [
        `SELECT * FROM (SELECT ${columns}, ${filters.join(' AND ')} AS is_match, row_number() OVER so_far AS place,
             count(*) FILTER (WHERE ${words}) OVER so_far AS with_words
           FROM redirects WHERE ${base} WINDOW so_far AS (${order} ROWS UNBOUNDED PRECEDING) ${order} LIMIT ${rows}) AS read
         WHERE is_match OR place = ${rows} ${order} LIMIT $${limitAt}`,
        params,
      ];
    },
    /** Reads all matches, one more than `max` at most, and sorts them. */
    sorted(after: ListPosition | undefined, max: number, limit: number): Statement {
      const { base, params } = beyond(after, limit);
      return [
        `WITH found AS MATERIALIZED (
           SELECT * FROM redirects WHERE ${[base, ...filters].join(' AND ')} LIMIT ${max + 1})
         SELECT ${columns}, (SELECT count(*) FROM found) AS found_rows FROM found ${order} LIMIT $${params.length}`,
        params,
      ];
    },
  };
}

/** Returns the words of the searched text that have trigrams, if it is more than one word. */
function wordsOf({ search = '' }: RedirectFilter): readonly string[] {
  const text = search.toLowerCase();
  const words = text.match(WORDS) ?? [];
  return words[0] === text ? [] : words.slice(0, MAX_COUNTED_WORDS);
}

const positionOf = ({ sort_key, id }: SearchedRow): ListPosition => ({ key: sort_key, id });

/**
 * @param end position of the last row that was read, if the list goes on there
 * @param isRead whether the next page reads rows in order at once
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

/** Returns whether an index finds the redirects of a part of the filter. The embedded database has none of texts. */
function hasIndex(
  { search, status, verified, tag, health }: RedirectFilter,
  kind: Database['kind'],
): boolean {
  return (
    (search !== undefined && search.length >= TRIGRAM_LENGTH && kind === 'server') ||
    (status !== undefined && status !== 'active') ||
    verified === false ||
    tag !== undefined ||
    (health !== undefined && health !== 'unknown')
  );
}

/** Returns SQL conditions: those of the list apart from those of the filter. */
function conditionsOf(userId: string, { search, status, verified, tag, health, deleted }: RedirectFilter) {
  const params: unknown[] = [userId];
  const where = ['user_id = $1', deleted === true ? RESTORABLE : 'deleted_at IS NULL'];
  const filters: string[] = [];
  const add = (value: unknown) => `$${params.push(value)}`;
  if (search !== undefined) filters.push(`${SEARCHED_TEXT} LIKE lower(${add(patternOf(search))})`);
  if (status !== undefined) filters.push(HAS_STATUS[status]);
  if (verified !== undefined) filters.push(`verified_at IS ${verified ? 'NOT NULL' : 'NULL'}`);
  // The first condition lets the planner use the index of redirects with tags.
  if (tag !== undefined) filters.push(`tags <> '{}' AND tags @> ARRAY[${add(tag)}::text]`);
  // As a constant, the value lets the planner use the partial index.
  if (health !== undefined) filters.push(`health = '${health}'`);
  return { where, filters, params };
}

/** Returns a LIKE pattern for texts that have `text` somewhere. */
function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
