import type { PathScope } from '../path-scope.js';

/** Requests that a block of nginx is for. */
export interface Scope extends PathScope {
  readonly serverName: string | undefined;
  /** Undefined where the server answers both, or neither is known. */
  readonly scheme: 'http' | 'https' | undefined;
  /** Texts of groups of a condition on the query. */
  readonly captures: ReadonlyMap<string, string>;
  /** Whether groups hold the query as well, because `$request_uri` was compared. */
  readonly hasRawGroups: boolean;
  /** Whether a path is compared together with the query of the request. */
  readonly comparesQuery: boolean;
  /** Whether the server has no name while others of the file have one. It answers the hosts that none of them names. */
  readonly isForOtherHosts: boolean;
}
