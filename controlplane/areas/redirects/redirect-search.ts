import type { Queryable } from '../../storage/postgres/database.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import type { ListPosition } from './list-cursor.js';
import type { Redirect } from './redirect.js';
import { COLUMNS, type RedirectRow, toRedirect } from './redirect-rows.js';
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

/** Rows that a search reads in the order of the list before it uses the indexes of texts and tags. */
const SEARCHED_FIRST = 3_000;
/** Rows that a search takes from these indexes, and sorts. A search that matches more reads in the order of the list. */
const MAX_SORTED = 5_000;
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

export interface SearchedPage {
  readonly redirects: readonly SearchedRedirect[];
  /** Position of the last one; undefined on the last page. */
  readonly next: ListPosition | undefined;
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
  async page(
    database: Queryable,
    userId: string,
    filter: RedirectFilter,
    {
      sort,
      limit,
      after,
    }: { readonly sort: Sort; readonly limit: number; readonly after?: ListPosition | undefined },
  ): Promise<SearchedPage> {
    const { column, key, toValue } = columnOf(sort);
    const isDescending = sort.startsWith('-');
    const direction = isDescending ? 'DESC' : 'ASC';
    const { where, searched, params } = conditionsOf(userId, filter);
    if (after !== undefined) {
      params.push(after.key, after.id);
      where.push(
        `(${column}, id) ${isDescending ? '<' : '>'} (${toValue(`$${params.length - 1}`)}, $${params.length}::text)`,
      );
    }
    // One more row tells whether there is another page.
    params.push(limit + 1);
    const order = `ORDER BY ${column} ${direction}, id ${direction}`;
    const read = (source: string, conditions: readonly string[]) =>
      database.query<SearchedRow>(
        `SELECT ${COLUMNS}, deleted_at, ${key} AS sort_key FROM ${source}
         WHERE ${conditions.join(' AND ')} ${order} LIMIT $${params.length}`,
        params,
      );
    const readSearched = async () => {
      // What is common is found among the first rows. The indexes would find all of its rows, and sort them.
      const first = `(SELECT * FROM redirects WHERE ${where.join(' AND ')} ${order} LIMIT ${SEARCHED_FIRST}) AS first`;
      const early = await read(first, searched);
      if (early.length > limit) return early;
      const found = await database.query<SearchedRow & { readonly found_rows: number }>(
        `WITH found AS MATERIALIZED (
           SELECT * FROM redirects WHERE ${[...where, ...searched].join(' AND ')} LIMIT ${MAX_SORTED + 1})
         SELECT ${COLUMNS}, deleted_at, ${key} AS sort_key, (SELECT count(*) FROM found) AS found_rows FROM found
         ${order} LIMIT $${params.length}`,
        params,
      );
      const isWhole = (found[0]?.found_rows ?? 0) <= MAX_SORTED;
      return isWhole ? found : read('redirects', [...where, ...searched]);
    };
    const rows = searched.length === 0 ? await read('redirects', where) : await readSearched();
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { redirects: shown.map(toSearched), next: last && { key: last.sort_key, id: last.id } };
  },

  /** Counts by status; the sum is the number of all that the filter selects. */
  async facets(source: Queryable, userId: string, filter: RedirectFilter): Promise<Facets> {
    const { where, searched, params } = conditionsOf(userId, filter);
    const conditions = [...where, ...searched].join(' AND ');
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

/** Returns SQL conditions: those of `search` and `tag` apart, since they take the most time. */
function conditionsOf(userId: string, { search, status, verified, tag, health, deleted }: RedirectFilter) {
  const params: unknown[] = [userId];
  const where = ['user_id = $1', deleted === true ? RESTORABLE : 'deleted_at IS NULL'];
  const searched: string[] = [];
  const add = (value: unknown) => `$${params.push(value)}`;
  if (search !== undefined) searched.push(`${SEARCHED_TEXT} LIKE lower(${add(patternOf(search))})`);
  if (status !== undefined) where.push(HAS_STATUS[status]);
  if (verified !== undefined) where.push(`verified_at IS ${verified ? 'NOT NULL' : 'NULL'}`);
  // The first condition lets the planner use the index of redirects with tags.
  if (tag !== undefined) searched.push(`tags <> '{}' AND tags @> ARRAY[${add(tag)}::text]`);
  // As a constant, the value lets the planner use the partial index.
  if (health !== undefined) where.push(`health = '${health}'`);
  return { where, searched, params };
}

/** Returns a LIKE pattern for texts that have `text` somewhere. */
function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
