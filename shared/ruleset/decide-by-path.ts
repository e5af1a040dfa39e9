import { matchPath, type PathPages } from '../paths/path-matcher.js';
import { statusIn } from '../paths/path-page.js';
import { type CompiledPaths, isRedirectStatus, type PathRoute } from './path-route.js';
import type { Closed } from './redirect-schedule.js';
import type { Route } from './route.js';

/** The parts of a request that a table uses. */
export interface PathQuestion {
  readonly path: string;
  /** Returns the raw query; called only if an entry needs it. */
  readonly readQuery: () => string;
  /** Normalised. */
  readonly host: string;
}

/**
 * Returns the route that a table of paths decides on: `route` with the entry's destination, that of `notFound`, or an
 * answer without a destination. Undefined when the redirect's own destination applies. `route.entryId` is the entry,
 * 0 for none.
 */
export function decideByPath(
  paths: CompiledPaths,
  pages: PathPages | undefined,
  { path, readQuery, host }: PathQuestion,
  route: PathRoute,
): Route | Closed | undefined {
  const match = pages === undefined ? undefined : matchPath(paths.table, pages, path, readQuery);
  if (match === undefined) {
    route.entryId = 0;
    return paths.unmatched;
  }
  route.entryId = match.id;
  const statusCode = statusIn(match.code);
  return isRedirectStatus(statusCode) ? route.lead(paths, match, statusCode, host) : 'gone';
}
