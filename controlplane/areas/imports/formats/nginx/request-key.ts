import { decoded } from '../regex/query-regex.js';

/** Returns conditions that require each parameter of a query. */
export function queryOf(query: string): Readonly<Record<string, string | boolean>> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? [decoded(pair), true]
        : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))];
    }),
  );
}
