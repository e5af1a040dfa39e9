import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../async/in-turns.js';
import { checkTable } from './check-table.js';
import { collapseInSteps } from './collapse-table.js';
import { pathEntryOf } from './path-cases.fixture.js';
import { DEFAULT_PATH_OPTIONS, type PathEntry, type PathOptions } from './path-entry.js';
import { originOf, pathLocation } from './path-location.js';
import { matchPath } from './path-matcher.js';
import { statusIn } from './path-page.js';
import { preparedEntry, publishedTable } from './published-table.fixture.js';

const HOST = 'old.example';
const OWN = `http://${HOST}`;
const MAX_HOPS = 40;

interface Redirect {
  readonly host: string;
  readonly destination: string;
  readonly queryForwarding: boolean;
}

function redirectOf(queryForwarding: boolean): Redirect {
  return { host: HOST, destination: 'https://new.example/home', queryForwarding };
}

function collapse(
  entries: readonly PathEntry[],
  queryForwarding = false,
  options: PathOptions = DEFAULT_PATH_OPTIONS,
) {
  const prepared = entries.map((entry) => preparedEntry(entry, options, HOST));
  const redirect = { ...redirectOf(queryForwarding), servesHttps: true };
  const { changes, diagnostics } = atOnce(collapseInSteps(entries, prepared, options, redirect));
  return {
    entries: entries.map((entry, index) => ({ ...entry, ...changes.get(index) })),
    changes,
    diagnostics,
  };
}

/** Where a visitor ends who follows all redirects of the table, as a browser does, and what the answers mean together. */
function visit(
  { paths, pages }: ReturnType<typeof publishedTable>,
  { destination, queryForwarding }: Redirect,
  start: string,
) {
  const base = { origin: originOf(destination), queryForwarding };
  let url = new URL(start);
  let [isPermanent, keepsMethod, hops] = [true, true, 0];
  for (; hops < MAX_HOPS && url.host === HOST; hops += 1) {
    const query = url.search.slice(1);
    const match = matchPath(paths, pages, url.pathname, () => query);
    if (match === undefined) break;
    const status = statusIn(match.code);
    if (status === 410) return { end: `gone ${url.href}`, isPermanent, keepsMethod, hops };
    isPermanent &&= status === 301 || status === 308;
    keepsMethod &&= status === 307 || status === 308;
    const request = { path: url.pathname, query, labels: '' };
    const next = new URL(pathLocation(match.template, match.code, base, request));
    if (next.hash === '') next.hash = url.hash;
    url = next;
  }
  return { end: url.href, isPermanent, keepsMethod, hops };
}

const LETTERS = ['a', 'B', 'c~', 'é'];
const LETTER = fc.constantFrom(0, 1, 2, 3);
const suffix = fc.constantFrom('', '', '', '', '?x=1', '?', '?x=2&y', '#f', '?q={query.q}');
const pattern = fc.constantFrom('', '', '', '', '/*', '/:id');
/** An entry of a letter leads to a later one, so that there is no loop, or away. */
const row = fc.record({
  letter: LETTER,
  pattern,
  query: fc.constantFrom(null, null, null, null, null, null, { x: '1' }, { q: true }, { x: false }),
  origin: fc.constantFrom(OWN, OWN, OWN, `https://${HOST}`, 'https://end.example', ''),
  to: LETTER,
  rest: fc.constantFrom('', '', '', '', '/', '/7', '/{', 'filled'),
  suffix,
  statusCode: fc.constantFrom(301, 301, 301, 302, 307, 308, 308, 308, 410),
  queryForwarding: fc.constantFrom('inherit', 'inherit', true, false),
});
const tables = fc
  .record({
    options: fc.record({
      ignoreCase: fc.boolean(),
      ignoreTrailingSlash: fc.boolean(),
      unmatched: fc.constant('destination' as const),
    }),
    queryForwarding: fc.boolean(),
    rows: fc.array(row, { minLength: 6, maxLength: 16, size: 'max' }),
  })
  .map(({ options, queryForwarding, rows }) => {
    const byKey = new Map<string, PathEntry>();
    for (const [index, one] of rows.entries()) {
      const { letter, pattern, origin, to, rest, suffix, statusCode } = one;
      const later = LETTERS[letter + 1 + (to % (LETTERS.length - letter))] ?? 'end';
      const end = rest === 'filled' ? pattern : rest === '/{' ? '/%7B' : rest;
      const entry = pathEntryOf(
        {
          source: `/${LETTERS[letter]}${pattern}`,
          query: one.query,
          destination: statusCode === 410 ? null : `${origin}/${later}${end}${suffix}`,
          statusCode,
          queryForwarding: one.queryForwarding,
        } as PathEntry,
        index,
      );
      const { key, conditions } = preparedEntry(entry, options, HOST).published;
      byKey.set(`${key} ${conditions}`, entry);
    }
    return { options, queryForwarding, entries: [...byKey.values()] };
  });
const visits = fc.array(
  fc
    .tuple(
      fc.constantFrom(...LETTERS),
      fc.constantFrom('', '', '/', '/zz'),
      fc.constantFrom('', '', '?x=1', '?q=7&x=2', '?', '?z=%41'),
    )
    .map(([letter, end, query]) => `${OWN}/${letter}${end}${query}`),
  { minLength: 4, maxLength: 12 },
);

describe('a collapsed table', () => {
  it('leads every visitor to the same URL, by answers that mean the same', () => {
    let shortened = 0;
    fc.assert(
      fc.property(tables, visits, ({ options, queryForwarding, entries }, starts) => {
        const redirect = redirectOf(queryForwarding);
        fc.pre(!('kind' in checkTable(entries, options, redirect)));
        const collapsed = collapse(entries, queryForwarding, options);
        const [was, is] = [entries, collapsed.entries].map((some) => publishedTable(some, options, HOST));
        for (const start of starts) {
          const before = visit(was!, redirect, start);
          if (before.hops === MAX_HOPS) continue;
          const after = visit(is!, redirect, start);
          if (after.hops < before.hops) shortened += 1;
          expect(after.hops).toBeLessThanOrEqual(before.hops);
          expect({ ...after, hops: 0 }).toEqual({ ...before, hops: 0 });
        }
      }),
      { numRuns: 1_500 },
    );
    expect(shortened).toBeGreaterThan(300);
  });

  it.each([
    [
      'a chain of any length',
      [
        ['/a', `${OWN}/b`],
        ['/b', `${OWN}/c`],
        ['/c', 'https://end.example/'],
      ],
      ['https://end.example/', 'https://end.example/', 'https://end.example/'],
    ],
    [
      'a way into a pattern',
      [
        ['/a', `${OWN}/b/7`],
        ['/b/:id', 'https://end.example/:id'],
      ],
      ['https://end.example/7', 'https://end.example/:id'],
    ],
    [
      'a way to a path on the destination',
      [
        ['/a', `${OWN}/b`],
        ['/b', '/c?d'],
      ],
      ['/c?d', '/c?d'],
    ],
  ])('has the last destination for %s', (_what, table, destinations) => {
    const entries = table.map(([source = '', to = ''], index) =>
      pathEntryOf({ source, destination: to }, index),
    );
    const { entries: after, diagnostics } = collapse(entries);
    expect(after.map(({ destination }) => destination)).toEqual(destinations);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics[0]).toMatchObject({ kind: 'collapsed', source: '/a' });
  });

  it.each([
    [
      'placeholders',
      [
        { source: '/a/*', destination: `${OWN}/b/*` },
        { source: '/b/*', destination: 'https://e.example/*' },
      ],
    ],
    [
      'query conditions on the way',
      [
        { source: '/a', destination: `${OWN}/b` },
        { source: '/b', destination: 'https://e.example/' },
        { source: '/b', query: { q: true }, destination: 'https://f.example/' },
      ],
    ],
    [
      'values of the query of a visitor',
      [
        { source: '/a', destination: `${OWN}/b`, queryForwarding: true as const },
        { source: '/b', destination: 'https://e.example/{query.q}' },
      ],
    ],
    [
      'a fragment',
      [
        { source: '/a', destination: `${OWN}/b#f` },
        { source: '/b', destination: 'https://e.example/' },
      ],
    ],
    [
      'an entry that is gone',
      [
        { source: '/a', destination: `${OWN}/b` },
        { source: '/b', destination: null, statusCode: 410 as const },
      ],
    ],
    [
      'another port',
      [
        { source: '/a', destination: `${OWN}:8080/b` },
        { source: '/b', destination: 'https://e.example/' },
      ],
    ],
  ])('keeps entries with %s', (_what, table) => {
    const entries = table.map((entry, index) => pathEntryOf(entry, index));
    expect(collapse(entries).changes.size).toBe(0);
  });

  it.each([
    [301, 301, 301],
    [301, 308, 301],
    [308, 308, 308],
    [308, 307, 307],
    [307, 302, 302],
    [301, 302, 302],
    [308, 302, 302],
  ] as const)('answers %i before %i with %i', (first, second, both) => {
    const entries = [
      pathEntryOf({ source: '/a', destination: `${OWN}/b`, statusCode: first }, 0),
      pathEntryOf({ source: '/b', destination: 'https://end.example/', statusCode: second }, 1),
    ];
    expect(collapse(entries).entries[0]?.statusCode).toBe(both);
  });
});
