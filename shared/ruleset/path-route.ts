import type { PathStatusCode } from '../paths/path-entry.js';
import { originOf, pathLocation } from '../paths/path-location.js';
import type { PathMatch } from '../paths/path-matcher.js';
import { forwardsQueryIn, isFilledIn, isRelativeIn, mayLoopIn } from '../paths/path-page.js';
import type { PublishedPaths } from '../paths/published-paths.js';
import type { RedirectStatusCode } from '../rules/redirect-status.js';
import type { AppendedQuery } from './appended-query.js';
import type { RedirectAnswer } from './redirect-answer.js';
import type { Closed } from './redirect-schedule.js';
import { isRequestedUrl } from './requested-url.js';
import type { Route } from './route.js';

/** The table of a redirect, and the values that all its entries share. Immutable. */
export interface CompiledPaths {
  readonly table: PublishedPaths;
  /** Answer to requests that no entry matches; undefined for the redirect's own destination. */
  readonly unmatched: Route | Closed | undefined;
  /** `scheme://host:port` of the redirect's destination. */
  readonly origin: string;
  /** Whether the destination is on the redirect's own host. */
  readonly mayLoop: boolean;
  readonly queryForwarding: boolean;
  /** Length of `.example.com` in a wildcard host; 0 for other hosts. */
  readonly zoneLength: number;
  readonly appended: AppendedQuery | undefined;
  /** The answers by status. Entries with 410 have none. */
  readonly answers: Readonly<Record<RedirectStatusCode, RedirectAnswer>>;
}

/**
 * @param host of the redirect
 * @param notFound route for requests that nothing matches, instead of 404
 */
export function compilePaths(
  table: PublishedPaths,
  { host, destination, queryForwarding }: { host: string; destination: string; queryForwarding: boolean },
  mayLoop: boolean,
  appended: AppendedQuery | undefined,
  answers: CompiledPaths['answers'],
  notFound?: Route,
): CompiledPaths {
  const zoneLength = host.startsWith('*.') ? host.length - 1 : 0;
  const unmatched = (table.unmatched === 'not_found' ? notFound : undefined) ?? table.unmatched;
  return {
    table,
    unmatched,
    origin: originOf(destination),
    mayLoop,
    queryForwarding,
    zoneLength,
    appended,
    answers,
  };
}

/** The route to the destination of an entry. One object serves all requests: `lead` sets the entry. */
export class PathRoute implements Route {
  /** Id of the entry of the last decision; 0 if none matched. */
  entryId = 0;
  statusCode: RedirectStatusCode = 301;
  head = '';
  private paths: CompiledPaths | undefined;
  private template = '';
  private code = 0;
  private labels = '';

  /** @param host of the request, normalised */
  lead(
    paths: CompiledPaths,
    { template, code }: PathMatch,
    statusCode: RedirectStatusCode,
    host: string,
  ): this {
    this.paths = paths;
    this.template = template;
    this.code = code;
    this.labels = paths.zoneLength === 0 ? '' : host.slice(0, -paths.zoneLength);
    this.statusCode = statusCode;
    this.head = paths.answers[statusCode].head;
    return this;
  }

  get pathForwarding(): boolean {
    return isFilledIn(this.code);
  }

  get queryForwarding(): boolean {
    return isFilledIn(this.code) || forwardsQueryIn(this.code, this.paths?.queryForwarding === true);
  }

  readonly readsPath = true;

  get readsQuery(): boolean {
    return this.queryForwarding || this.mayLoop || this.paths?.appended !== undefined;
  }

  get mayLoop(): boolean {
    return isRelativeIn(this.code) ? this.paths?.mayLoop === true : mayLoopIn(this.code);
  }

  location(path: string, query = ''): string {
    const { paths } = this;
    if (paths === undefined) return '';
    const location = pathLocation(this.template, this.code, paths, { path, query, labels: this.labels });
    if (paths.appended === undefined) return location;
    const hash = location.indexOf('#');
    return paths.appended.addTo(location, hash === -1 ? '' : location.slice(hash), query);
  }

  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean {
    return this.mayLoop && isRequestedUrl(location, hostHeader, path, query);
  }
}

/** Returns whether a status of an entry is that of a redirect, not 410. */
export function isRedirectStatus(statusCode: PathStatusCode): statusCode is RedirectStatusCode {
  return statusCode !== 410;
}
