import type { Refusal } from './outcome.js';
import type { RegexHost } from './regex/regex-hosts.js';
import { literalSource, type RegexPath } from './regex/regex-paths.js';

/** Host that a directive answers for; null when it is not known. */
export interface ScopeHost {
  readonly host: string | null;
  readonly captures: RegexHost['captures'];
}

/** Requests that a block of directives is for. */
export interface PathScope {
  readonly hosts: readonly ScopeHost[];
  /** Undefined for all paths. */
  readonly paths: readonly RegexPath[] | undefined;
  readonly query: Readonly<Record<string, string | boolean>> | null;
  /** Beginning of all paths of a block that is for parts of segments, too. Set only with `refusal`. */
  readonly beginning?: string | undefined;
  /** The reason why redirects in the block cannot be kept. */
  readonly refusal: Refusal | undefined;
}

export const NO_CAPTURES: ReadonlyMap<string, string> = new Map();
export const EVERY_PATH: RegexPath = { path: '/*', ending: 'exact', captures: NO_CAPTURES };
export const ANY_HOST: ScopeHost = { host: null, captures: NO_CAPTURES };

/** Returns the paths of a scope as patterns. */
export function scopePaths({ paths }: PathScope): readonly RegexPath[] {
  return paths ?? [EVERY_PATH];
}

/** Narrows a scope to one path. Redirects in it are refused when the path cannot be written. */
export function withLiteral<Scope extends PathScope>(scope: Scope, path: string, isRaw: boolean): Scope {
  const source = literalSource(path, { isRaw });
  return typeof source === 'string'
    ? within(scope, [{ path: source, ending: 'exact', captures: NO_CAPTURES }])
    : { ...scope, refusal: source };
}

/** Narrows a scope to paths, which must all lie in it. */
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
  const refusal =
    'It also matches paths outside of the surrounding location or condition. Write the whole path there.';
  return { ...scope, refusal: { refusal, field: 'path' } };
}
