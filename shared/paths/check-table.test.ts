import { describe, expect, it } from 'vitest';
import { inTurns } from '../async/in-turns.js';
import { type CheckedTable, checkTable, checkTableInSteps, type TableFault } from './check-table.js';
import { pathEntryOf } from './path-cases.fixture.js';
import {
  DEFAULT_PATH_OPTIONS,
  MAX_CONDITIONS_PER_SOURCE,
  MAX_PATH_SHAPES,
  type PathEntry,
} from './path-entry.js';

const REDIRECT = { host: 'old.example', destination: 'https://new.example/home', queryForwarding: false };

type Given = readonly [source: string, destination: string | null, more?: Partial<PathEntry>];

function check(
  rows: readonly Given[],
  options = DEFAULT_PATH_OPTIONS,
  redirect = REDIRECT,
): CheckedTable | TableFault {
  const entries = rows.map(([source, destination, more], index) =>
    pathEntryOf({ source, destination, ...more }, index),
  );
  return checkTable(entries, options, redirect);
}

describe('a table of paths', () => {
  it.each<[string, Partial<PathEntry>, PathEntry['source'] | string]>([
    ['a source without a slash', { source: 'a' }, 'source must start with "/"'],
    ['a source of another host', { source: '//a' }, 'two slashes'],
    ['a source with a query', { source: '/a?b=1' }, 'go into query'],
    ['a star inside', { source: '/a/*/b' }, '"*" can only stand at the end'],
    ['a star in a segment', { source: '/a*' }, '"*" can only stand at the end'],
    ['a parameter with more in its segment', { source: '/:id.html' }, 'as a whole segment'],
    ['a parameter twice', { source: '/:id/:id' }, 'must occur once'],
    ['a long source', { source: `/${'a'.repeat(1_024)}` }, 'at most 1024 characters (got 1025)'],
    ['too many segments', { source: `${'/a'.repeat(32)}/*` }, 'at most 31 segments'],
    ['no destination', { destination: null }, 'unless statusCode is 410'],
    ['a destination of 410', { statusCode: 410 }, 'must be null'],
    ['another scheme', { destination: 'ftp://new.example' }, 'absolute http or https URL'],
    ['another host without a scheme', { destination: '//evil.example' }, 'two slashes'],
    ['a placeholder in the host', { source: '/:x', destination: 'https://:x.example/' }, 'after the host'],
    ['a star in the host', { source: '/*', destination: 'https://*.example/' }, 'after the host'],
    ['a query value in the host', { destination: 'https://{query.h}/' }, 'after the host'],
    ['a query value as port', { destination: 'https://new.example:{query.h}/' }, 'after the host'],
    ['a user name', { destination: 'https://a@new.example/' }, 'user name'],
    ['no valid host', { destination: 'https://a b/' }, 'valid host'],
    ['an unknown parameter', { source: '/:x', destination: '/:y' }, '":y" in destination is not a segment'],
    ['a star without a prefix', { destination: '/*' }, 'needs a source that ends in "/*"'],
    ['an unknown placeholder', { destination: '/{path}' }, 'must be {query.NAME}, or {host.1} to {host.9}'],
    ['a label without a wildcard', { destination: '/{host.1}' }, 'needs a redirect for a wildcard host'],
    ['a long destination', { destination: `/${'a'.repeat(2_048)}` }, 'at most 2048 characters (got 2049)'],
    [
      'many conditions',
      { query: Object.fromEntries([...'abcdefghi'].map((name) => [name, true])) },
      'at most 8',
    ],
    ['a condition without a name', { query: { '': true } }, 'empty parameter name'],
    ['a lone surrogate', { query: { a: '\ud800' } }, 'unpaired surrogates'],
  ])('refuses %s', (_name, given, message) => {
    const fault = check([
      ['/first', '/x'],
      [given.source ?? '/a', given.destination === undefined ? '/x' : given.destination, given],
    ]);
    expect(fault).toMatchObject({ index: 1, kind: 'invalid' });
    expect((fault as TableFault).message).toContain(message);
  });

  it.each<[string, Given, Given, Partial<typeof DEFAULT_PATH_OPTIONS>?]>([
    ['the same source', ['/a', '/x'], ['/a', '/y']],
    ['a trailing slash', ['/a', '/x'], ['/a/', '/y']],
    ['other names', ['/:a/:b/*', '/x'], ['/:b/:c/*', '/y']],
    ['another case', ['/a', '/x'], ['/A', '/y'], { ignoreCase: true }],
    ['another case of escapes', ['/%c3', '/x'], ['/%C3', '/y']],
    [
      'conditions in another order',
      ['/a', '/x', { query: { p: '1', q: true } }],
      ['/a', '/x', { query: { q: true, p: '1' } }],
    ],
  ])('refuses a duplicate by %s', (_name, first, second, options = {}) => {
    expect(check([['/z', '/x'], first, second], { ...DEFAULT_PATH_OPTIONS, ...options })).toMatchObject({
      index: 2,
      field: 'source',
      kind: 'duplicate',
    });
  });

  it('takes sources that differ only where the options say so', () => {
    const strict = { ...DEFAULT_PATH_OPTIONS, ignoreTrailingSlash: false };
    expect(
      check(
        [
          ['/a', '/x'],
          ['/A', '/x'],
          ['/a/', '/x'],
        ],
        strict,
      ),
    ).toMatchObject({ diagnostics: [] });
  });

  it.each<[string, readonly Given[], number]>([
    [
      'of one entry',
      [
        ['/z', '/'],
        ['/a', 'https://old.example/a'],
      ],
      1,
    ],
    ['of one entry without https', [['/a', 'http://OLD.example/a?b#c']], 0],
    [
      'of two entries',
      [
        ['/a', 'https://old.example/b'],
        ['/b', 'https://old.example/a'],
      ],
      0,
    ],
    ['that grows', [['/a/*', 'https://old.example/a/b/*']], 0],
    [
      'through a parameter',
      [
        ['/a/:x', 'https://old.example/b/:x'],
        ['/b/*', 'https://old.example/a/*'],
      ],
      0,
    ],
  ])('refuses a loop %s', (_name, rows, index) => {
    expect(check(rows)).toMatchObject({ index, field: 'source', kind: 'loop' });
  });

  it('does not take a way out for a loop', () => {
    const table = check([
      ['/a', 'https://old.example:8443/a'],
      ['/b', 'https://other.example/b'],
      ['/c', '/c'],
      ['/d/*', 'https://old.example/*'],
      ['/e', 'https://old.example/e', { query: { q: false, r: '1' } }],
    ]);
    expect(table).toMatchObject({ diagnostics: [] });
  });

  it('reports chains and entries that no browser asks for', () => {
    const table = check([
      ['/a', 'https://old.example/b'],
      ['/b', 'https://old.example/c/5'],
      ['/c/:id', 'https://new.example/:id'],
      ['/x/../y', 'https://new.example/y'],
    ]);
    expect(
      (table as CheckedTable).diagnostics.map(({ kind, source, other }) => [kind, source, other]),
    ).toEqual([
      ['chain', '/a', '/b'],
      ['chain', '/b', '/c/:id'],
      ['unreachable', '/x/../y', undefined],
    ]);
  });

  it('bounds the arrangements of placeholders', () => {
    const masks = Array.from({ length: MAX_PATH_SHAPES + 1 }, (_, mask) => mask + 1);
    const rows = masks.map((mask): Given => {
      const segments = Array.from({ length: 7 }, (_, bit) => ((mask >> bit) & 1 ? `:p${bit}` : 'a'));
      return [`/${segments.join('/')}`, '/x'];
    });
    expect(check(rows.slice(1))).toMatchObject({ diagnostics: [] });
    expect(check(rows)).toMatchObject({ index: MAX_PATH_SHAPES, field: 'source', kind: 'invalid' });
  });

  it('bounds the entries of one source with different query conditions', () => {
    const rows = Array.from({ length: MAX_CONDITIONS_PER_SOURCE + 1 }, (_, at): Given => {
      return ['/a', '/x', { query: { q: String(at) } }];
    });
    const plain: Given = ['/a', '/x'];
    expect(check([plain, ...rows.slice(1)])).toMatchObject({ diagnostics: [] });
    expect(check([plain, ...rows])).toMatchObject({
      index: MAX_CONDITIONS_PER_SOURCE + 1,
      field: 'query',
      kind: 'invalid',
    });
  });

  it('bounds the length of the query conditions that one path can meet', () => {
    const long = (at: number) => ({ [`q${at}`]: 'v'.repeat(250), r: 'é'.repeat(250) });
    const rows = Array.from({ length: 40 }, (_, at): Given => {
      return [`/${at < 20 ? 'a' : ':x'}`, '/x', { query: long(at) }];
    });
    expect(check(rows)).toMatchObject({ field: 'query', kind: 'invalid' });
    const apart = Array.from({ length: 40 }, (_, at): Given => [`/a${at}`, '/x', { query: long(at) }]);
    expect(check(apart)).toMatchObject({ diagnostics: [] });
  });

  it('lets the event loop go on while a long table is checked', async () => {
    const entries = Array.from({ length: 20_000 }, (_, at) =>
      pathEntryOf({ source: `/old/${at}`, destination: `https://old.example/new/${at}` }, at),
    );
    const steps = checkTableInSteps(entries, DEFAULT_PATH_OPTIONS, REDIRECT);
    let turns = 0;
    let checking = true;
    const countTurns = (): void => {
      turns += 1;
      if (checking) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    expect(await inTurns(steps)).toMatchObject({ diagnostics: [] });
    checking = false;
    expect(turns).toBeGreaterThan(5);
  });

  it('sees loops through the destination of the redirect and through labels of a wildcard', () => {
    const redirect = { ...REDIRECT, host: '*.old.example', destination: 'https://www.old.example/' };
    expect(check([['/a', '/a']], undefined, redirect)).toMatchObject({ kind: 'loop' });
    expect(check([['/a', 'https://old.example/a']], undefined, redirect)).toMatchObject({ diagnostics: [] });
  });
});
