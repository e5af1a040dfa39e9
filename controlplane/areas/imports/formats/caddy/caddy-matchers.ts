import { hostName } from '../host.js';
import { isRefusal, type Refusal } from '../outcome.js';
import { NO_CAPTURES, type PathScope, within } from '../path-scope.js';
import { literalSource, type RegexPath, regexPaths } from '../regex/regex-paths.js';
import type { Statement } from '../statements.js';

/** Requests that a block of a Caddyfile is for. */
export interface CaddyScope extends PathScope {
  readonly scheme: 'http' | 'https' | undefined;
  /** Beginning of the path that `handle_path` removes. */
  readonly stripped: string;
}

export type NamedMatchers = ReadonlyMap<string, Statement>;

/** Returns the named matchers that a block defines. */
export function namedMatchers(block: readonly Statement[], outer: NamedMatchers): NamedMatchers {
  const own = block.filter(({ words }) => words[0]?.text.startsWith('@') === true);
  return new Map([...outer, ...own.map((one) => [one.words[0]?.text ?? '', one] as const)]);
}

/** Returns whether a word is a matcher: a path, a name, or `*`. */
export function isMatcher(word: string): boolean {
  return word.startsWith('/') || word.startsWith('@') || word === '*';
}

/** Narrows a scope to a matcher. Redirects are refused in a scope that cannot be expressed. */
export function withMatcher(scope: CaddyScope, matcher: string, named: NamedMatchers): CaddyScope {
  if (matcher === '*') return scope;
  if (matcher.startsWith('/')) return withPaths(scope, [matcher]);
  const definition = named.get(matcher);
  if (definition === undefined) return refuse(scope, `The matcher ${matcher} is not defined.`);
  const lines = definition.block?.map(textsOf) ?? [textsOf(definition).slice(1)];
  return lines.reduce((current, line) => withLine(current, line), scope);
}

function textsOf({ words }: Statement): string[] {
  return words.map(({ text }) => text);
}

function withLine(scope: CaddyScope, [kind = '', ...args]: readonly string[]): CaddyScope {
  if (kind === 'path' || kind.startsWith('/'))
    return withPaths(scope, kind === 'path' ? args : [kind, ...args]);
  if (kind === 'path_regexp') return withRegex(scope, args);
  if (kind === 'host') {
    const hosts = args.map(hostName);
    const known = hosts.filter((host) => host !== undefined);
    return known.length < hosts.length
      ? refuse(scope, 'A host of the matcher cannot be taken. Name each host.')
      : { ...scope, hosts: known.map((host) => ({ host, captures: NO_CAPTURES })) };
  }
  if (kind === 'query') return withQuery(scope, args);
  const [negated, pair = '', ...more] = args;
  if (kind === 'not' && negated === 'query' && more.length === 0 && /^[^=]+=\*$/.test(pair)) {
    return withConditions(scope, [[pair.slice(0, -2), false]]);
  }
  if (kind === 'protocol') {
    return refuse(
      scope,
      'Redirects to HTTPS are not entries. Set httpsMode of the redirect to "upgrade" instead.',
    );
  }
  return refuse(scope, `The matcher "${kind}" cannot be kept. Use path, path_regexp, host or query.`);
}

function refuse(scope: CaddyScope, refusal: string): CaddyScope {
  return { ...scope, refusal: { refusal } };
}

function withPaths(scope: CaddyScope, matchers: readonly string[]): CaddyScope {
  const paths: RegexPath[] = [];
  for (const matcher of matchers) {
    const path = pathOf(matcher, scope.stripped);
    if (typeof path !== 'string') return { ...scope, refusal: path };
    paths.push({ path, ending: 'exact', captures: NO_CAPTURES });
  }
  return within(scope, paths);
}

/** A matcher ends in `/*` for everything below; Caddy has further forms. */
function pathOf(matcher: string, stripped: string): string | Refusal {
  const isPrefix = matcher.endsWith('/*');
  const literal = isPrefix ? matcher.slice(0, -1) : matcher;
  if (literal.includes('*')) {
    const refusal = `${matcher} also matches parts of segments. Write a path, or a path and "/*".`;
    return { refusal, field: 'path' };
  }
  const source = literalSource(stripped + literal, {});
  return typeof source === 'string' && isPrefix ? `${source}*` : source;
}

function withRegex(scope: CaddyScope, args: readonly string[]): CaddyScope {
  const [name, expression] = args.length > 1 ? args : [undefined, args[0]];
  if (scope.stripped !== '')
    return refuse(scope, 'Regular expressions within handle_path cannot be kept. Use handle.');
  const paths = regexPaths(expression ?? '', {});
  if (isRefusal(paths)) return { ...scope, refusal: paths };
  const inner = within(scope, paths);
  if (name === undefined || inner.paths === undefined) return inner;
  const named = inner.paths.map((one) => ({
    ...one,
    captures: new Map(
      [...one.captures].flatMap(
        ([group, text]) =>
          [
            [group, text],
            [`${name}.${group}`, text],
          ] as const,
      ),
    ),
  }));
  return { ...inner, paths: named };
}

const SEVERAL_VALUES = 'Several values of a parameter need one matcher each.';

function withQuery(scope: CaddyScope, pairs: readonly string[]): CaddyScope {
  const names = pairs.map((pair) => pair.split('=')[0] ?? '');
  if (new Set(names).size < names.length) return refuse(scope, SEVERAL_VALUES);
  const conditions = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name, value === '*' ? true : value] as const;
  });
  if (conditions.some(([, value]) => typeof value === 'string' && value.includes('*'))) {
    return refuse(scope, 'A value of a query parameter is literal, or "*" for any.');
  }
  return withConditions(scope, conditions);
}

function withConditions(
  scope: CaddyScope,
  conditions: readonly (readonly [string, string | boolean])[],
): CaddyScope {
  if (conditions.some(([name]) => scope.query !== null && Object.hasOwn(scope.query, name)))
    return refuse(scope, SEVERAL_VALUES);
  return { ...scope, query: { ...scope.query, ...Object.fromEntries(conditions) } };
}
