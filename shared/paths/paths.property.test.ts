import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { naiveMatch } from './naive-paths.fixture.js';
import { pathEntryOf } from './path-cases.fixture.js';
import type { PathEnding, PathEntry, PathOptions } from './path-entry.js';
import { hashKey } from './path-key.js';
import { originOf, pathLocation } from './path-location.js';
import { matchPath } from './path-matcher.js';
import { preparedEntry, publishedTable } from './published-table.fixture.js';

const literal = fc.constantFrom('a', 'B', 'b', 'c', 'é', '%c3', '%C3', 'x.html', ':', '~', '"', '%');
const segment = fc.oneof({ weight: 3, arbitrary: literal }, { weight: 2, arbitrary: fc.constant(':') });
const source = fc
  .record({ segments: fc.array(segment, { maxLength: 4 }), end: fc.constantFrom('', '', '/', '/*') })
  .map(({ segments, end }) => {
    const named = segments.map((one, index) => (one === ':' ? `:p${index}` : one));
    return (
      `/${named.join('/')}`.replace(/^\/$/, end === '/*' ? '' : '/') +
      (segments.length === 0 && end === '/' ? '' : end)
    );
  });
const condition = fc.dictionary(
  fc.constantFrom('q', 'r', 'ü'),
  fc.constantFrom<string | boolean>('1', '', true, false),
  {
    maxKeys: 2,
  },
);
const query = fc.option(
  condition.filter((conditions) => Object.keys(conditions).length > 0),
  { nil: null },
);
const ending = fc.constantFrom<PathEnding>('inherit', 'exact', 'below');
const options: fc.Arbitrary<PathOptions> = fc.record({
  ignoreCase: fc.boolean(),
  ignoreTrailingSlash: fc.boolean(),
  unmatched: fc.constant('destination'),
});
const path = fc
  .array(fc.oneof(literal, fc.constantFrom('A', '', 'zz', '%C3', '%c3%A9', 'é')), { maxLength: 5 })
  .map((segments) => `/${segments.join('/')}`);
const request = fc.record({
  path,
  query: fc.constantFrom('', 'q=1', 'q', 'q=2&q=1', 'r=1&q=', '%C3%BC=1', 'q=1&r'),
});

/** Entries whose destination shows the value of every placeholder; each of them can be told from the others. */
const tables = fc
  .record({ options, rows: fc.array(fc.record({ source, query, ending }), { minLength: 1, maxLength: 12 }) })
  .map(({ options, rows }) => {
    const byKey = new Map<string, PathEntry>();
    rows.forEach(({ source, query, ending }, index) => {
      const pathEnding = ending === 'below' && !source.endsWith('/*') ? 'exact' : ending;
      const names = [...source.matchAll(/:p\d/g)].map(([name]) => name);
      const shown = [...names, ...(source.endsWith('/*') ? ['*'] : [])].join('|');
      const entry = pathEntryOf(
        { source, query, pathEnding, destination: `https://new.example/${index}?${shown}` },
        index,
      );
      const { key, conditions } = preparedEntry(entry, options).published;
      byKey.set(`${key} ${conditions}`, entry);
    });
    return { options, entries: [...byKey.values()] };
  });

function decide(
  { paths, pages }: ReturnType<typeof publishedTable>,
  { path, query }: { path: string; query: string },
) {
  const match = matchPath(paths, pages, path, () => query);
  if (match === undefined) return undefined;
  const base = { origin: '', queryForwarding: false };
  const location = pathLocation(match.template, match.code, base, { path, query, labels: '' });
  return { id: match.id, location };
}

function decideNaively(
  entries: readonly PathEntry[],
  options: PathOptions,
  { path, query }: { path: string; query: string },
) {
  const match = naiveMatch(entries, options, path, query);
  if (match === undefined) return undefined;
  const { entry, params, rest } = match;
  const values = [...Object.values(params), ...(rest === undefined ? [] : [rest])];
  const shown = values.map((value) => value.replaceAll('é', '%C3%A9')).join('|');
  return { id: entry.id, location: `https://new.example/${entry.id - 1}?${shown}` };
}

describe('a published table', () => {
  it('decides as the plain interpreter does', () => {
    fc.assert(
      fc.property(
        tables,
        fc.array(request, { minLength: 1, maxLength: 12 }),
        ({ options, entries }, requests) => {
          const table = publishedTable(entries, options);
          for (const one of requests) {
            expect(decide(table, one)).toEqual(decideNaively(entries, options, one));
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it('decides the same for any order of its entries and any salt', () => {
    fc.assert(
      fc.property(tables, request, fc.nat(2 ** 32 - 1), ({ options, entries }, { path, query }, salt) => {
        const turned = publishedTable([...entries].reverse(), options, 'old.example', salt);
        const match = matchPath(turned.paths, turned.pages, path, () => query);
        expect(match?.id).toBe(decide(publishedTable(entries, options), { path, query })?.id);
      }),
    );
  });

  it('finds every entry of a table with many pages, and no other path', () => {
    const entries = Array.from({ length: 3_000 }, (_, index) =>
      pathEntryOf({ source: `/old/${index}`, destination: `https://new.example/${index}` }, index),
    );
    const { paths, pages, texts } = publishedTable(entries);
    expect(texts.length).toBe(32);
    for (const { id, source } of entries) expect(matchPath(paths, pages, source, () => '')?.id).toBe(id);
    expect(matchPath(paths, pages, '/old/3000', () => '')).toBeUndefined();
  });

  it('finds entries whose hashes are equal', () => {
    // With this salt the state of FNV-1a after "/" is its usual start, for which these words are known to collide.
    const salt = 0xb347da68;
    const sources = ['/costarring', '/liquid'];
    expect(new Set(sources.map((source) => hashKey(source, salt))).size).toBe(1);
    const entries = sources.map((source, index) => pathEntryOf({ source, destination: `/${index}` }, index));
    const { paths, pages } = publishedTable(entries, undefined, 'old.example', salt);
    for (const { id, source } of entries) expect(matchPath(paths, pages, source, () => '')?.id).toBe(id);
  });

  it('asks for the query only if an entry with conditions comes into question', () => {
    const entries = [
      pathEntryOf({ source: '/a', destination: '/x' }, 0),
      pathEntryOf({ source: '/b', destination: '/y', query: { q: true } }, 1),
    ];
    const { paths, pages } = publishedTable(entries);
    let asked = 0;
    const readQuery = () => {
      asked += 1;
      return 'q';
    };
    expect(matchPath(paths, pages, '/a', readQuery)?.id).toBe(1);
    expect(asked).toBe(0);
    expect(matchPath(paths, pages, '/b', readQuery)?.id).toBe(2);
    expect(asked).toBe(1);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '/',
      '?',
      '#',
      '&',
      '=',
      '%',
      '.',
      '\\',
      ' ',
      '\r',
      '\n',
      ':',
      '@',
      '~',
      ';',
      'é',
      '😀',
    ),
  }),
);

describe('a filled destination', () => {
  const templates = fc.constantFrom(
    'https://new.example/*',
    'https://new.example/a/:x?q={query.q}#:x',
    'https://new.example?*',
    'https://new.example#:x',
    'https://new.example/{host.1}/{query.q}/*',
    '/*',
    '/:x',
    '/{query.q}',
    '/{host.2}:x',
  );

  it('keeps scheme, host and port, and holds nothing but printable ASCII', () => {
    const origin = originOf('https://new.example/home');
    fc.assert(
      fc.property(
        templates,
        anyText,
        anyText,
        anyText,
        fc.boolean(),
        (destination, text, value, labels, forwards) => {
          const entry = pathEntryOf({ source: '/:x/*', destination });
          const { paths, pages } = publishedTable([entry], undefined, '*.old.example');
          const path = `/${text}`;
          const query = `q=${value}`;
          const match = matchPath(paths, pages, path, () => query);
          if (match === undefined) return;
          const base = { origin, queryForwarding: forwards };
          const location = pathLocation(match.template, match.code, base, { path, query, labels });
          expect(location).toMatch(/^https:\/\/new\.example[/?#][!-~]*$/);
          expect(new URL(location).origin).toBe('https://new.example');
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
