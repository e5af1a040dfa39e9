import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkTable } from './check-table.js';
import { pathEntryOf } from './path-cases.fixture.js';
import { DEFAULT_PATH_OPTIONS, type PathEntry } from './path-entry.js';
import { matchPath } from './path-matcher.js';
import { publishedTable } from './published-table.fixture.js';

const REDIRECT = { host: 'old.example', destination: 'https://new.example', queryForwarding: false };
type Row = Pick<PathEntry, 'source'> & Partial<PathEntry>;

function unreachable(rows: readonly Row[]): string[] {
  const entries = rows.map((row, index) =>
    pathEntryOf({ destination: 'https://new.example', ...row }, index),
  );
  const checked = checkTable(entries, DEFAULT_PATH_OPTIONS, REDIRECT);
  if ('kind' in checked) throw new Error(checked.message);
  return checked.diagnostics.filter(({ kind }) => kind === 'unreachable').map(({ source }) => source);
}

it.each<[string[], Row[]]>([
  [['/a'], [{ source: '/a' }, { source: '/a', query: { q: true } }, { source: '/a', query: { q: false } }]],
  [[], [{ source: '/a' }, { source: '/a', query: { q: '1' } }, { source: '/a', query: { q: false } }]],
  [[], [{ source: '/a' }, { source: '/a', query: { q: true } }, { source: '/a', query: { r: false } }]],
  [['/a/*'], [{ source: '/a/*' }, { source: '/a' }, { source: '/a/:id/*' }]],
  [['/:a/*'], [{ source: '/:a/:b/*' }, { source: '/:a/*' }, { source: '/:a' }]],
  [['/*'], [{ source: '/:a/*' }, { source: '/*' }, { source: '/' }]],
  [[], [{ source: '/a/*' }, { source: '/a/:id/*' }]],
  [[], [{ source: '/a/*' }, { source: '/a' }, { source: '/a/:id/*', query: { q: true } }]],
  [['/a/../b'], [{ source: '/a/../b' }]],
])('names %j as unreachable', (expected, rows) => {
  expect(unreachable(rows)).toEqual(expected);
});

const segments = fc.array(fc.constantFrom('a', 'b', ':'), { maxLength: 2 });
const row = fc.record({
  source: fc.tuple(segments, fc.boolean()).map(([parts, isPrefix]) => {
    const path = parts.map((part, at) => `/${part === ':' ? `:p${at}` : part}`).join('');
    return isPrefix ? `${path}/*` : path || '/';
  }),
  query: fc.constantFrom(null, null, { q: true }, { q: false }, { q: '1' }),
});
const PATHS = ['/', '/a', '/b', '/c', '/a/a', '/a/c', '/b/b', '/c/c', '/a/a/a', '/c/c/c', '/a/b/c'];
const QUERIES = ['', 'q=1', 'q=2'];

it('names only entries that no request reaches', () => {
  const tables = fc.uniqueArray(row, {
    maxLength: 8,
    selector: ({ source, query }) => `${source.replace(/:p\d/g, ':')} ${JSON.stringify(query)}`,
  });
  fc.assert(
    fc.property(tables, (rows) => {
      const named = rows.map((one, index) => ({ ...one, destination: `https://new.example/${index}` }));
      const { paths, pages } = publishedTable(named.map(pathEntryOf));
      const reached = new Set(
        PATHS.flatMap((path) =>
          QUERIES.map((query) => rows[(matchPath(paths, pages, path, () => query)?.id ?? 0) - 1]),
        ),
      );
      for (const source of unreachable(named)) {
        const unreached = rows.filter((one) => one.source === source && !reached.has(one));
        expect(unreached, source).not.toHaveLength(0);
      }
    }),
  );
});
