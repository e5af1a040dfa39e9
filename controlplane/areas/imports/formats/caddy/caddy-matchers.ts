import { hostName } from '../host.js';
import { refusal } from '../outcome.js';
import { NO_CAPTURES, narrowed, type PathScope, within } from '../path-scope.js';
import { literalSource, type RegexPath, regexPaths } from '../regex/regex-paths.js';
import { type Statement, textsOf } from '../statements.js';

/** Requests to which a block of a Caddyfile applies. */
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

/** Narrows a scope to a matcher. Redirects in a scope that Waymark cannot express are refused. */
export function withMatcher(scope: CaddyScope, matcher: string, named: NamedMatchers): CaddyScope {
  if (matcher === '*') return scope;
  if (matcher.startsWith('/')) return narrowed(scope, () => withPaths(scope, [matcher]));
  const definition = named.get(matcher);
  if (definition === undefined) {
    return { ...scope, refusal: refusal(`The matcher ${matcher} is not defined.`) };
  }
  const lines = definition.block?.map(({ words }) => textsOf(words)) ?? [textsOf(definition.words).slice(1)];
  return lines.reduce((current, line) => narrowed(current, () => withLine(current, line)), scope);
}

function withLine(scope: CaddyScope, [kind = '', ...args]: readonly string[]): CaddyScope {
  if (kind === 'path' || kind.startsWith('/'))
    return withPaths(scope, kind === 'path' ? args : [kind, ...args]);
  if (kind === 'path_regexp') return withRegex(scope, args);
  if (kind === 'host') {
    const hosts = args.map(hostName);
    const known = hosts.filter((host) => host !== undefined);
    if (known.length < hosts.length) {
      throw refusal('A host of the matcher cannot be taken. Name each host.');
    }
    return { ...scope, hosts: known.map((host) => ({ host, captures: NO_CAPTURES })) };
  }
  if (kind === 'query') return withQuery(scope, args);
  const [negated, pair = '', ...more] = args;
  if (kind === 'not' && negated === 'query' && more.length === 0 && /^[^=]+=\*$/.test(pair)) {
    return withConditions(scope, [[pair.slice(0, -2), false]]);
  }
  if (kind === 'protocol') {
    throw refusal('Redirects to HTTPS are not entries. Set httpsMode of the redirect to "upgrade" instead.');
  }
  throw refusal(`The matcher "${kind}" cannot be kept. Use path, path_regexp, host or query.`);
}

function withPaths(scope: CaddyScope, matchers: readonly string[]): CaddyScope {
  const paths = matchers.map(
    (matcher): RegexPath => ({
      path: pathOf(matcher, scope.stripped),
      ending: 'exact',
      captures: NO_CAPTURES,
    }),
  );
  return within(scope, paths);
}

/** Returns the path of a matcher. `/*` at its end matches everything below; Caddy's other forms are refused. */
function pathOf(matcher: string, stripped: string): string {
  const isPrefix = matcher.endsWith('/*');
  const literal = isPrefix ? matcher.slice(0, -1) : matcher;
  if (literal.includes('*')) {
    throw refusal(`${matcher} also matches parts of segments. Write a path, or a path and "/*".`, 'path');
  }
  const source = literalSource(stripped + literal, {});
  return isPrefix ? `${source}*` : source;
}

function withRegex(scope: CaddyScope, args: readonly string[]): CaddyScope {
  const [name, expression] = args.length > 1 ? args : [undefined, args[0]];
  if (scope.stripped !== '') {
    throw refusal('Regular expressions within handle_path cannot be kept. Use handle.');
  }
  const inner = within(scope, regexPaths(expression ?? ''));
  if (name === undefined || inner.paths === undefined) return inner;
  const named = inner.paths.map((one) => ({
    ...one,
    captures: new Map([
      ...one.captures,
      ...[...one.captures].map(([group, text]) => [`${name}.${group}`, text] as const),
    ]),
  }));
  return { ...inner, paths: named };
}

const SEVERAL_VALUES = 'Several values of a parameter need one matcher each.';

function withQuery(scope: CaddyScope, pairs: readonly string[]): CaddyScope {
  const names = pairs.map((pair) => pair.split('=')[0] ?? '');
  if (new Set(names).size < names.length) throw refusal(SEVERAL_VALUES);
  const conditions = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name, value === '*' ? true : value] as const;
  });
  if (conditions.some(([, value]) => typeof value === 'string' && value.includes('*'))) {
    throw refusal('A value of a query parameter is literal, or "*" for any.');
  }
  return withConditions(scope, conditions);
}

function withConditions(
  scope: CaddyScope,
  conditions: readonly (readonly [string, string | boolean])[],
): CaddyScope {
  if (conditions.some(([name]) => Object.hasOwn(scope.query ?? {}, name))) throw refusal(SEVERAL_VALUES);
  return { ...scope, query: { ...scope.query, ...Object.fromEntries(conditions) } };
}
