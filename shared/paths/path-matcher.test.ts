import { describe, expect, it } from 'vitest';
import { checkTable } from './check-table.js';
import { pathEntryOf } from './path-cases.fixture.js';
import {
  DEFAULT_PATH_OPTIONS,
  MAX_CONDITIONS_PER_MATCH,
  MAX_CONDITIONS_PER_SOURCE,
  MAX_PATH_SHAPES,
  type PathEntry,
  type QueryConditions,
} from './path-entry.js';
import { matchPath } from './path-matcher.js';
import { publishedTable } from './published-table.fixture.js';

const SHAPES_WITH_CONDITIONS = MAX_CONDITIONS_PER_MATCH / MAX_CONDITIONS_PER_SOURCE;
const SEGMENTS = 7;
/** uWebSockets.js takes requests of 16 KiB at most. */
const QUERY_LENGTH = 16_000;

/** Sources of as many shapes as a table can have, all of which match `/a/a/a/a/a/a/a`. */
function sources(): string[] {
  return Array.from({ length: MAX_PATH_SHAPES }, (_, mask) => {
    const segments = Array.from({ length: SEGMENTS }, (_, bit) =>
      ((mask + 1) >> bit) & 1 ? `:p${bit}` : 'a',
    );
    return `/${segments.join('/')}`;
  });
}

/** The table that costs visitors most: each of its conditions but the last of an entry is met. */
function costliest(): PathEntry[] {
  const rows = sources().flatMap((source, place) => {
    const entries = place < SHAPES_WITH_CONDITIONS ? MAX_CONDITIONS_PER_SOURCE : 0;
    return Array.from({ length: entries }, (_, entry) => ({
      source,
      query: { ...met(), [`q${place}-${entry}`]: true } as QueryConditions,
      destination: '/x',
    }));
  });
  const others = sources()
    .slice(SHAPES_WITH_CONDITIONS)
    .map((source) => ({ source: source.replaceAll('/a', '/b'), destination: '/x' }));
  return [...rows, ...others].map((row, index) => pathEntryOf(row, index));
}

function met(): QueryConditions {
  return Object.fromEntries(Array.from({ length: 7 }, (_, name) => [`m${name}`, '7']));
}

const REDIRECT = { host: 'old.example', destination: 'https://new.example', queryForwarding: false };

describe('one match', () => {
  it('is tested with a table that is accepted, and one more condition is not', () => {
    const entries = costliest();
    const [free = ''] = sources().slice(SHAPES_WITH_CONDITIONS);
    const more = pathEntryOf({ source: free, query: { q: true }, destination: '/x' }, entries.length);
    expect(checkTable(entries, DEFAULT_PATH_OPTIONS, REDIRECT)).toMatchObject({ diagnostics: [] });
    expect(checkTable([...entries, more], DEFAULT_PATH_OPTIONS, REDIRECT)).toMatchObject({
      index: entries.length,
      field: 'query',
      kind: 'invalid',
    });
  });

  it.each([
    ['parameters of one name', `m0=1&`],
    ['encoded parameters', '%6D0=%31&'],
    ['parameters without a value', 'x&'],
  ])('costs less than 5 ms with a long query of %s and the most conditions', (_name, pair) => {
    const { paths, pages } = publishedTable(costliest());
    const wanted = Object.entries(met())
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const query = `${pair.repeat((QUERY_LENGTH - wanted.length) / pair.length)}${wanted}`;
    const times = Array.from({ length: 15 }, () => {
      const startedAt = performance.now();
      expect(matchPath(paths, pages, '/a/a/a/a/a/a/a', () => query)).toBeUndefined();
      return performance.now() - startedAt;
    });
    expect(Math.min(...times)).toBeLessThan(5);
  });

  it('finds the entry with the last of the parameters of a long query', () => {
    const { paths, pages } = publishedTable([
      ...costliest(),
      pathEntryOf({ source: '/a/a/a/a/a/a/a', query: { m0: 'last', z: false }, destination: '/y' }, 9_999),
    ]);
    const query = `${'m0=1&'.repeat(3_000)}m0=last`;
    expect(matchPath(paths, pages, '/a/a/a/a/a/a/a', () => query)?.template).toBe('/y');
    expect(matchPath(paths, pages, '/a/a/a/a/a/a/a', () => `${query}&z`)).toBeUndefined();
  });
});
