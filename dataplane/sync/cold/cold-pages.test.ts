import { describe, expect, it } from 'vitest';
import { matchPath } from '../../../shared/paths/path-matcher.js';
import { pageKey } from '../../../shared/paths/published-paths.js';
import { tableOf } from '../path-pages.fixture.js';
import { ColdRedirects } from './cold-redirects.js';
import { TablePages } from './table-pages.js';

const ROWS = Array.from({ length: 300 }, (_, index) => ({
  source: `/old/${index}`,
  destination: `https://new.example/${index}`,
}));
const [DEFINITION, ...PAGES] = tableOf('old.example', ROWS);

function found(cold: ColdRedirects, path: string): number | undefined {
  const paths = cold.find('old.example')?.definition.paths;
  if (paths === undefined) return undefined;
  return matchPath(paths, new TablePages(() => cold, 'id-of-old.example'), path, () => '')?.id;
}

function filled(): ColdRedirects {
  const cold = new ColdRedirects();
  cold.apply([...(DEFINITION === undefined ? [] : [DEFINITION]), ...PAGES]);
  return cold;
}

describe('pages of paths in the cold form', () => {
  it.each([100, 20_000])('take at most 120 bytes for each of %s paths beyond its text', (count) => {
    let textBytes = 0;
    const rows = Array.from({ length: count }, (_, index) => {
      const isPattern = index % 10 === 0;
      const source = isPattern ? `/shop/${index}/:id/*` : `/articles/2026/${index}`;
      const destination = `https://new.example/archive/${index}${isPattern ? '/:id/*?from={query.from}' : ''}`;
      textBytes += source.length + destination.length;
      return { source, destination, query: index % 7 === 0 ? { page: '1' } : null };
    });
    const [definition, ...pages] = tableOf('old.example', rows);
    const cold = new ColdRedirects();
    cold.apply(definition === undefined ? [] : [definition]);
    const before = cold.usedBytes;
    cold.apply(pages);
    expect((cold.usedBytes - before - textBytes) / count).toBeLessThan(120);
  });

  it('are no hosts', () => {
    const cold = filled();
    const key = pageKey('id-of-old.example', 0);
    expect(PAGES).toHaveLength(4);
    expect(cold.length).toBe(1);
    expect(cold.membershipChanges).toBe(1);
    expect([cold.has(key), cold.find(key)]).toEqual([false, undefined]);
    expect([...cold]).toEqual([DEFINITION?.redirect]);
  });

  it('are found after a capture was read again', () => {
    const replayed = new ColdRedirects();
    for (const piece of filled().capture().pieces) {
      for (const line of piece.toString('utf8').split(/(?<=\n)/)) replayed.replay(line);
    }
    expect(replayed.length).toBe(1);
    for (const [index, { source }] of ROWS.entries()) expect(found(replayed, source)).toBe(index + 1);
  });

  it('are found while others come and go and lines are cleared away', () => {
    const cold = filled();
    for (let round = 0; round < 100; round += 1) {
      cold.apply(tableOf(`other-${round % 3}.example`, ROWS.slice(0, 50 + round)));
    }
    for (const [index, { source }] of ROWS.entries()) expect(found(cold, source)).toBe(index + 1);
    expect(cold.length).toBe(4);
  });

  it('are gone when they are removed', () => {
    const cold = filled();
    cold.apply(PAGES.map(({ host }) => ({ host, redirect: null })));
    expect(found(cold, '/old/1')).toBeUndefined();
    expect(cold.length).toBe(1);
  });

  it.each(['["/id/0","a\\"b"]', '["/id/0","é"]', '["/id/0",""]', '["id/0","a"]', '["/id/x","a"]'])(
    'are refused as %s',
    (line) => {
      expect(() => new ColdRedirects().replay(`${line}\n`)).toThrow('no redirect');
    },
  );
});
