import { matchPath, type PathPages } from '../../../shared/paths/path-matcher.js';
import { statusIn } from '../../../shared/paths/path-page.js';
import { type CompiledPaths, isRedirectStatus, PathRoute } from '../../../shared/ruleset/path-route.js';

/** Decision of a table of paths: the way of an entry, or no way. */
export interface DecidedPath {
  /** Undefined if visitors get `statusCode` without a destination. */
  readonly route: PathRoute | undefined;
  readonly statusCode: number;
  /** The entry; 0 for none. */
  readonly entryId: number;
  /** Whether the decision looked at the query. */
  readonly readsQuery: boolean;
}

const route = new PathRoute();

/**
 * Returns the decision of a table by the code of data planes; undefined when the redirect's own destination is next.
 *
 * @param host of the request
 * @returns an object whose route the next decision overwrites
 */
export function decidePath(
  paths: CompiledPaths,
  pages: PathPages | undefined,
  { path, query, host }: { readonly path: string; readonly query: string; readonly host: string },
): DecidedPath | undefined {
  let readsQuery = false;
  const readQuery = () => {
    readsQuery = true;
    return query;
  };
  const match = pages === undefined ? undefined : matchPath(paths.table, pages, path, readQuery);
  if (match === undefined) {
    const { unmatched } = paths.table;
    if (unmatched === undefined && !readsQuery) return undefined;
    const statusCode = unmatched === undefined ? 0 : unmatched === 'gone' ? 410 : 404;
    return { route: undefined, statusCode, entryId: 0, readsQuery };
  }
  const statusCode = statusIn(match.code);
  if (!isRedirectStatus(statusCode)) return { route: undefined, statusCode, entryId: match.id, readsQuery };
  return { route: route.lead(paths, match, statusCode, host), statusCode, entryId: match.id, readsQuery };
}
