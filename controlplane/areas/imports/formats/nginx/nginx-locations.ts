import { isRefusal } from '../outcome.js';
import { scopePaths, within, withLiteral } from '../path-scope.js';
import { everyPath, regexPaths } from '../regex/regex-paths.js';
import type { Statement } from '../statements.js';
import type { Scope } from './nginx-scope.js';

export type LocationKind = 'exact' | 'first' | 'regex' | 'prefix' | 'named';

export interface Location {
  readonly kind: LocationKind;
  readonly text: string;
  readonly ignoresCase: boolean;
  readonly statement: Statement;
}

/** Reads the head of a `location` block. */
export function locationOf(statement: Statement): Location {
  const [, first, second] = statement.words;
  const modifier = second === undefined ? '' : (first?.text ?? '');
  const text = (second ?? first)?.text ?? '';
  const kinds: Readonly<Record<string, LocationKind>> = {
    '=': 'exact',
    '^~': 'first',
    '~': 'regex',
    '~*': 'regex',
  };
  const kind = kinds[modifier] ?? (text.startsWith('@') ? 'named' : 'prefix');
  return { kind, text, ignoresCase: modifier === '~*', statement };
}

/** Narrows a scope to a location. */
export function locationScope(scope: Scope, { kind, text, ignoresCase }: Location): Scope {
  if (kind === 'named') {
    return {
      ...scope,
      refusal: { refusal: `The location ${text} has no path of its own. Move the redirect.` },
    };
  }
  if (kind === 'regex') {
    const paths = regexPaths(text, { ignoresCase });
    return isRefusal(paths) ? { ...scope, refusal: paths } : within(scope, paths);
  }
  if (kind === 'exact') return withLiteral(scope, text, false);
  if (text === '/') return scope;
  if (text.endsWith('/')) {
    const inner = withLiteral(scope, text, false);
    return inner.refusal === undefined
      ? { ...inner, paths: scopePaths(inner).map((one) => ({ ...one, path: `${one.path}*` })) }
      : inner;
  }
  const refusal = `A location without "=" also matches longer names such as ${text}x. Write "location = ${text}", or "location ${text}/" for everything below.`;
  return { ...scope, beginning: text, refusal: { refusal, field: 'path' } };
}

/** Narrows a scope to the paths of a `rewrite`. An expression for all paths takes those of the scope. */
export function rewriteScope(scope: Scope, pattern: string): Scope {
  const every = everyPath(pattern, {});
  if (every === undefined || scope.paths === undefined) {
    const paths = regexPaths(pattern, {});
    return isRefusal(paths) ? { ...scope, refusal: scope.refusal ?? paths } : within(scope, paths);
  }
  const paths = scope.paths.map(({ path, ending, ignoresCase = false }) => ({
    path,
    ending,
    ignoresCase,
    captures: new Map([...every.captures].map(([name, text]) => [name, text === '*' ? path.slice(1) : path])),
  }));
  return { ...scope, paths };
}
