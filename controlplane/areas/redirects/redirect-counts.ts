import type { Database } from '../../storage/postgres/database.js';
import { queryWithin } from '../../storage/postgres/query-within.js';
import { conditionsOf, hasIndex, hasPattern, hasText, type RedirectFilter } from './redirect-search.js';
import { type RedirectStatus, STATUS_SQL } from './redirect-status.js';
import { patternOf, SEARCHED_TEXT, type SearchedWord, selectiveWords, wordsOf } from './search-text.js';

/** Most frequent tags in the facets. */
const MAX_TAG_FACETS = 100;

export interface Facets {
  readonly status: Readonly<Partial<Record<RedirectStatus, number>>>;
  readonly tags: Readonly<Record<string, number>>;
}

/** Numbers of the redirects that a filter selects. */
export interface RedirectCounts {
  /** Exact without a filter. */
  readonly total: number;
  readonly facets: Facets;
  /** Undefined if all were counted. Otherwise more redirects than the counted ones may exist. */
  readonly countLimit?: number;
}

/** Bounds of the work for one count. */
export interface CountBounds {
  /** Maximum number of redirects to read, and of matches to read from an index. */
  readonly rows: number;
  /** Maximum time that reads of indexes of texts, tags and states take. */
  readonly indexTimeoutMs: number;
}

export const COUNT_BOUNDS: CountBounds = { rows: 5_000, indexTimeoutMs: 250 };

/**
 * Counts the redirects that a filter selects. Reads a bounded number of the newest redirects. If the list has more, it
 * counts the matches in the indexes of texts, tags and states, up to the same number. Without a filter, the total is
 * the one stored with the user's account.
 */
export async function countRedirects(
  database: Database,
  userId: string,
  filter: RedirectFilter,
  bounds: CountBounds = COUNT_BOUNDS,
): Promise<RedirectCounts> {
  const newest = await countNewest(database, userId, filter, bounds);
  if (newest.rows <= bounds.rows) return countsOf(newest);
  const ofNewest = { ...countsOf(newest), countLimit: bounds.rows };
  if (conditionsOf(userId, filter).filters.length === 0 && filter.deleted !== true) {
    return { ...ofNewest, total: newest.redirects };
  }
  const words = selectiveWords(wordsFor(database, filter), newest.with_words, newest.rows);
  if (words.length === 0 && !hasIndex(filter)) return ofNewest;
  const found = await countByIndex(database, userId, filter, words, bounds);
  if (found === undefined) return ofNewest;
  if (found.total <= bounds.rows) return countsOf(found);
  return found.total > newest.total ? { ...ofNewest, ...countsOf(found) } : ofNewest;
}

/** Returns the words to count. Only a server has the index of texts. */
const wordsFor = ({ kind }: Database, { search }: RedirectFilter) =>
  kind === 'server' ? wordsOf(search) : [];

async function countNewest(
  database: Database,
  userId: string,
  filter: RedirectFilter,
  { rows }: CountBounds,
): Promise<NewestRow> {
  const { where, conditions, textAt, params } = conditionsOf(userId, filter);
  const withWords = wordsFor(database, filter).map(
    ({ word }) => `(SELECT count(*) FROM newest WHERE ${hasText('text', params.push(word))})`,
  );
  const isMatch = textAt === undefined ? 'passes' : `passes AND ${hasText('text', textAt)}`;
  const order = filter.deleted === true ? 'updated_at' : 'created_at';
  const [counted] = await database.query<NewestRow>(
    `WITH newest AS MATERIALIZED (
       SELECT ${STATUS_SQL} AS status, tags, ${conditions.join(' AND ') || 'true'} AS passes,
         ${textAt === undefined ? 'NULL' : SEARCHED_TEXT} AS text
       FROM redirects WHERE ${where.join(' AND ')} ORDER BY ${order} DESC, id DESC LIMIT ${rows + 1}),
     found AS MATERIALIZED (SELECT status, tags FROM newest WHERE ${isMatch})
     SELECT ${FACETS}, (SELECT count(*) FROM newest) AS rows, ARRAY[${withWords.join(', ')}]::integer[] AS with_words,
       (SELECT redirect_count FROM users WHERE id = $1) AS redirects`,
    params,
  );
  if (counted === undefined) throw new Error('redirects were not counted');
  return counted;
}

async function countByIndex(
  database: Database,
  userId: string,
  filter: RedirectFilter,
  words: readonly SearchedWord[],
  { rows, indexTimeoutMs }: CountBounds,
): Promise<FacetRow | undefined> {
  const { where, filters, params } = conditionsOf(userId, filter);
  const patterns = words.map(({ part }) => hasPattern(params.push(patternOf(part))));
  const found = await queryWithin<FacetRow>(
    database,
    indexTimeoutMs,
    `WITH found AS MATERIALIZED (SELECT ${STATUS_SQL} AS status, tags FROM redirects
       WHERE ${[...where, ...filters, ...patterns].join(' AND ')} LIMIT ${rows + 1})
     SELECT ${FACETS}`,
    params,
  );
  return found?.[0];
}

interface FacetRow {
  readonly total: number;
  readonly status: Facets['status'];
  readonly tags: Facets['tags'];
}
interface NewestRow extends FacetRow {
  /** Number of rows that were read. */
  readonly rows: number;
  readonly with_words: readonly number[];
  readonly redirects: number;
}

/** SQL for the counts of `found`. */
const FACETS = `(SELECT count(*) FROM found) AS total,
  (SELECT coalesce(jsonb_object_agg(status, redirects), '{}')
   FROM (SELECT status, count(*) AS redirects FROM found GROUP BY status) AS by_status) AS status,
  (SELECT coalesce(json_object_agg(tag, redirects ORDER BY redirects DESC, tag), '{}')
   FROM (SELECT tag, count(*) AS redirects FROM found, unnest(tags) AS tag GROUP BY tag
     ORDER BY count(*) DESC, tag LIMIT ${MAX_TAG_FACETS}) AS by_tag) AS tags`;

function countsOf({ total, status, tags }: FacetRow): RedirectCounts {
  return { total, facets: { status, tags } };
}
