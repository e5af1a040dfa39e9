import type { QueryConditions } from '../../../../shared/paths/path-entry.js';
import { hostName } from './host.js';
import { refusal, type Unread, unlessUnread } from './outcome.js';
import type { RegexHost } from './regex/regex-hosts.js';
import { literalSource, type RegexPath } from './regex/regex-paths.js';

/** Host of a directive; null if unknown. */
export interface ScopeHost {
  readonly host: string | null;
  readonly captures: RegexHost['captures'];
}

/** Requests to which a block of directives applies. */
export interface PathScope {
  readonly hosts: readonly ScopeHost[];
  /** Undefined for all paths. */
  readonly paths: readonly RegexPath[] | undefined;
  readonly query: QueryConditions | null;
  /** Prefix of all paths of a block that also matches parts of segments. Set only with `refusal`. */
  readonly beginning?: string | undefined;
  /** Reason why redirects in the block cannot be imported. */
  readonly refusal: Unread | undefined;
}

export const NO_CAPTURES: ReadonlyMap<string, string> = new Map();
export const EVERY_PATH: RegexPath = { path: '/*', ending: 'exact', captures: NO_CAPTURES };
export const ANY_HOST: ScopeHost = { host: null, captures: NO_CAPTURES };

/** Returns the paths of a scope as patterns. */
export function scopePaths({ paths }: PathScope): readonly RegexPath[] {
  return paths ?? [EVERY_PATH];
}

/** Returns a host. A dot before it adds every name below. Returns nothing for other texts. */
export function hostsOfName(text: string): ScopeHost[] {
  const isBoth = text.startsWith('.');
  const host = hostName(isBoth ? text.slice(1) : text);
  if (host === undefined) return [];
  return (isBoth ? [host, `*.${host}`] : [host]).map((one) => ({ host: one, captures: NO_CAPTURES }));
}

/** Narrows a scope. If that fails, redirects in the scope are refused. */
export function narrowed<Scope extends PathScope>(scope: Scope, narrow: () => Scope): Scope {
  return unlessUnread(narrow, (end) => ({ ...scope, refusal: end }));
}

/** Narrows a scope to one path. */
export function withLiteral<Scope extends PathScope>(scope: Scope, path: string, isRaw: boolean): Scope {
  return narrowed(scope, () =>
    within(scope, [{ path: literalSource(path, { isRaw }), ending: 'exact', captures: NO_CAPTURES }]),
  );
}

/** Narrows a scope to paths that are all inside it. */
export function within<Scope extends PathScope>(scope: Scope, paths: readonly RegexPath[]): Scope {
  const { beginning } = scope;
  if (beginning !== undefined && paths.every(({ path }) => path.startsWith(beginning))) {
    return { ...scope, paths, beginning: undefined, refusal: undefined };
  }
  const isInside = ({ path }: RegexPath) =>
    scopePaths(scope).some((outer) =>
      outer.path.endsWith('/*') ? path.startsWith(outer.path.slice(0, -1)) : path === outer.path,
    );
  if (paths.every(isInside)) return { ...scope, paths };
  const message =
    'It also matches paths outside of the surrounding location or condition. Write the whole path there.';
  return { ...scope, refusal: refusal(message, 'path') };
}
