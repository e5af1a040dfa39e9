/** Statuses that an entry can answer with. 410 has no destination. */
export const PATH_STATUS_CODES = [301, 302, 307, 308, 410] as const;
export type PathStatusCode = (typeof PATH_STATUS_CODES)[number];

/** Required state of one query parameter: equal to a text, present (`true`) or absent (`false`). */
export type QueryCondition = string | boolean;
export type QueryConditions = Readonly<Record<string, QueryCondition>>;

/**
 * Comparison of the end of a path. `inherit` applies the table's `ignoreTrailingSlash`, and `/a/*` also matches `/a`.
 * With `exact`, a trailing slash is significant, and `/a/*` matches `/a/` and all paths below. `below` is only for
 * sources that end in `/*`: like `exact`, but `*` must not be empty.
 */
export const PATH_ENDINGS = ['inherit', 'exact', 'below'] as const;
export type PathEnding = (typeof PATH_ENDINGS)[number];

/** The members of an entry that determine its answer, as its owner wrote them. */
export interface PathEntry {
  readonly id: number;
  /** `/exact/path`, `/prefix/*`, or segments like `:name`. */
  readonly source: string;
  readonly query: QueryConditions | null;
  /** An absolute URL, or a path on the redirect's destination; null for 410. */
  readonly destination: string | null;
  readonly statusCode: PathStatusCode;
  readonly queryForwarding: 'inherit' | boolean;
  /** Default: `inherit`. */
  readonly pathEnding?: PathEnding;
}

/** Result for a path that no entry matches. */
export const UNMATCHED = ['destination', 'not_found', 'gone'] as const;
export type Unmatched = (typeof UNMATCHED)[number];

/** Options of a table. */
export interface PathOptions {
  readonly ignoreCase: boolean;
  readonly ignoreTrailingSlash: boolean;
  readonly unmatched: Unmatched;
}

export const DEFAULT_PATH_OPTIONS: PathOptions = {
  ignoreCase: false,
  ignoreTrailingSlash: true,
  unmatched: 'destination',
};

/** Maximum length of a source. The matcher looks up longer paths only by their prefixes. */
export const MAX_SOURCE_LENGTH = 1_024;
export const MAX_DESTINATION_LENGTH = 2_048;
/** Maximum segments of a source with placeholders, without `*`. */
export const MAX_PATTERN_SEGMENTS = 31;
/** Maximum query conditions of an entry. */
export const MAX_QUERY_CONDITIONS = 8;
/** Maximum length of the name and of the value of a query condition. */
export const MAX_QUERY_TEXT_LENGTH = 256;
/**
 * Maximum distinct arrangements of placeholders in one table. A visitor costs at most one look-up for each, whatever the
 * number of entries.
 */
export const MAX_PATH_SHAPES = 64;
/** Maximum entries of one source with different query conditions. A visitor's query is compared with each of them. */
export const MAX_CONDITIONS_PER_SOURCE = 32;
/**
 * Maximum entries with query conditions that one visitor is compared with. For each arrangement of placeholders, the
 * source with the most such entries counts.
 */
export const MAX_CONDITIONS_PER_MATCH = 256;
/**
 * Maximum length of the conditions that one visitor is compared with, as `packConditions` writes them. Counted like
 * `MAX_CONDITIONS_PER_MATCH`.
 */
export const MAX_CONDITION_TEXT_PER_MATCH = 32_768;

/** The reason for refusing an entry, and the member that it is about. */
export interface PathFault {
  readonly field: 'source' | 'query' | 'destination' | 'statusCode' | 'pathEnding';
  readonly message: string;
}
