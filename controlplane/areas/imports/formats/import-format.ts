import type { PathEnding, QueryConditions } from '../../../../shared/paths/path-entry.js';

/** Redirect of one address in an imported file, independent of the format. */
export type ImportedRedirect = {
  /** Host of the address in lower case; null if the format names only paths. */
  host: string | null;
  /** Path of the address as a source of a path entry: `/exact`, `/prefix/*` or `/a/:id/b`; null for the whole host. */
  path: string | null;
  /** Query conditions of the entry: equals, present (true) or absent (false). */
  query: QueryConditions | null;
  /** Comparison of the end of the path. `either`: with and without a slash, independent of the table's option. */
  pathEnding: PathEnding | 'either';
  /** Whether the path ignores case. In Waymark this is an option of the whole table. */
  ignoresCase: boolean;
  /** Absolute URL, or a path, with placeholders `:name`, `*`, `{query.name}`; null with `statusCode` 410. */
  destination: string | null;
  statusCode: 301 | 302 | 307 | 308 | 410;
  /** Whether the visitor's path is appended (whole hosts only); null if the format does not say. */
  pathForwarding: boolean | null;
  /** Whether the visitor's query is appended; null if the format does not say. */
  queryForwarding: boolean | null;
  note: string;
};

/** Reading of one line or item of a file. `row` counts lines or items from 1; `source` is the original text. */
export type ImportedRow = { row: number; source: string } & (
  | {
      status: 'read';
      redirect: ImportedRedirect;
      /** Difference from the original, for the owner. */
      remark?: string;
    }
  /** Comments, empty lines and directives that are not redirects. */
  | { status: 'skipped'; message: string }
  /** Redirects that cannot be imported. The message names the reason and suggests a replacement. */
  | { status: 'failed'; message: string; field?: string }
);

/** Format of files with redirects. Reads a whole file in pieces of text and yields every line or item exactly once. */
export type ImportFormat = {
  name: string;
  read(text: AsyncIterable<string>): AsyncIterable<ImportedRow>;
};
