import { describe, expect, it } from 'vitest';
import { hitIdOf, NO_ENTRY } from '../../shared/paths/entry-ids.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import { tableOf } from '../sync/path-pages.fixture.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf, shareOf } from '../sync/rule-definition.fixture.js';
import { exchange, request } from './raw-client.fixture.js';
import { openVisitorPort, VERSION } from './visitor-port.fixture.js';

async function open(changes: readonly RulesetChange[]) {
  const opened = await openVisitorPort([]);
  opened.table.apply({ version: { ...VERSION, seq: 2 }, previousSeq: 1, changes });
  const visit = async (target: string, host = 'old.example') => {
    const { statusCode, headers } = await exchange(opened.port, request(target, host));
    return { statusCode, location: headers.location, caching: headers['cache-control'] };
  };
  return { ...opened, visit };
}

const ENTRIES = [
  { source: '/a', destination: 'https://new.example/x' },
  { source: '/b', destination: '/y', statusCode: 302 },
  { source: '/c/*', destination: 'https://new.example/z/*', queryForwarding: true },
  { source: '/gone', destination: null, statusCode: 410 },
  { source: '/q', destination: 'https://new.example/q', query: { id: '7' }, statusCode: 308 },
  { source: '/self', destination: 'http://old.example/self?' },
] as const;
const OWN = { destination: 'https://own.example/home', queryForwarding: false };

describe('a visitor of a redirect with a table of paths', () => {
  it('is sent where the entry says, otherwise to the destination of the redirect', async () => {
    const { visit, counts } = await open(tableOf('old.example', ENTRIES, OWN));
    const cached = 'public, max-age=300';
    expect(await visit('/a?q')).toEqual({
      statusCode: 301,
      location: 'https://new.example/x',
      caching: cached,
    });
    expect(await visit('/b')).toEqual({
      statusCode: 302,
      location: 'https://own.example/y',
      caching: 'no-store',
    });
    expect(await visit('/c/d?e')).toMatchObject({ statusCode: 301, location: 'https://new.example/z/d?e' });
    expect(await visit('/gone')).toEqual({ statusCode: 410, location: undefined, caching: 'no-store' });
    expect(await visit('/q?id=7')).toMatchObject({ statusCode: 308, location: 'https://new.example/q' });
    expect(await visit('/q?id=8')).toMatchObject({ statusCode: 301, location: 'https://own.example/home' });
    expect(await visit('/self')).toMatchObject({ statusCode: 508 });
    expect(counts).toMatchObject({ redirect: 5, gone: 1, loop: 1 });
  });

  it('is led to notFound for a path without an entry where the table says 404, and nowhere else', async () => {
    const own = { ...OWN, notFound: { url: 'https://own.example/missing?x' }, appendQuery: { a: '1' } };
    const { visit, recorder } = await open(
      tableOf('old.example', ENTRIES, { ...own, queryForwarding: true }, { unmatched: 'not_found' }),
    );
    expect(await visit('/none?q')).toEqual({
      statusCode: 302,
      location: 'https://own.example/missing?x',
      caching: 'no-store',
    });
    expect(recorder.hits).toMatchObject([{ statusCode: 302, path: '/none', ruleId: 0 }]);
    expect(await visit('/b')).toMatchObject({ location: 'https://own.example/y?a=1' });
    expect(await visit('/gone')).toMatchObject({ statusCode: 410 });
    for (const unmatched of ['gone', 'destination'] as const) {
      const { visit } = await open(tableOf('old.example', ENTRIES, own, { unmatched }));
      const { location } = await visit('/none');
      expect(location).toBe(unmatched === 'gone' ? undefined : 'https://own.example/home?a=1');
    }
  });

  it.each([
    ['not_found', 404],
    ['gone', 410],
  ] as const)('gets %s for a path without an entry where the table says so', async (unmatched, status) => {
    const { visit, recorder } = await open(tableOf('old.example', ENTRIES, OWN, { unmatched }));
    expect(await visit('/none')).toMatchObject({ statusCode: status, caching: 'no-store' });
    expect(recorder.hits).toMatchObject([{ statusCode: status, path: '/none', ruleId: 0 }]);
  });

  it('is decided by rules first, and no cache keeps the answer', async () => {
    const rule = ruleOf(5, {
      conditions: [{ attribute: 'url_path', operator: 'equals', value: '/a' }],
      action: { type: 'redirect', url: 'https://rule.example' },
    });
    const { visit } = await open(tableOf('old.example', ENTRIES, { ...OWN, rules: [rule] }));
    expect(await visit('/a')).toMatchObject({ location: 'https://rule.example' });
    expect(await visit('/c/x')).toMatchObject({ location: 'https://new.example/z/x', caching: 'no-store' });
  });

  it('is counted on the entry, whatever the sampling rate, and the hit names it', async () => {
    const { visit, recorder, table } = await open(
      tableOf('old.example', ENTRIES, { ...OWN, samplingRate: 0 }),
    );
    for (const target of ['/a', '/a/', '/gone', '/none']) await visit(target);
    const hitsOf = (id: number) => recorder.ruleHitsOf('id-of-old.example', hitIdOf(id), '');
    expect([1, 2, 3, 4].map(hitsOf)).toEqual([2, 0, 0, 1]);
    expect(recorder.hits).toHaveLength(0);
    const changes = tableOf('old.example', ENTRIES, OWN);
    table.apply({ version: { ...VERSION, seq: 3 }, previousSeq: 2, changes });
    await visit('/a');
    await visit('/none');
    expect(recorder.hits.map(({ ruleId }) => ruleId)).toEqual([hitIdOf(1), 0]);
  });

  it('leaves the id of the entry in the hit beside the rule that let the visitor pass', async () => {
    const rules = [shareOf(5, Number.MIN_VALUE)];
    const { visit, recorder } = await open(tableOf('old.example', ENTRIES, { ...OWN, rules }));
    for (const target of ['/a', '/gone', '/none']) await visit(target);
    expect(recorder.hits.map(({ ruleId, entryId }) => [ruleId, entryId])).toEqual([
      [5, 1],
      [5, 4],
      [5, NO_ENTRY],
    ]);
  });

  it('leaves no mark of the table in the hit of a visitor whom a rule led on', async () => {
    const rule = ruleOf(5, { action: { type: 'redirect', url: 'https://rule.example' } });
    const { visit, recorder } = await open(tableOf('old.example', ENTRIES, { ...OWN, rules: [rule] }));
    await visit('/none');
    expect(recorder.hits).toMatchObject([{ ruleId: 5, entryId: 0 }]);
  });

  it('sees a change of one page at once', async () => {
    const { visit, table } = await open(tableOf('old.example', ENTRIES, OWN));
    await visit('/a');
    const [, page] = tableOf('old.example', [{ source: '/a', destination: 'https://other.example' }], OWN);
    const changes = page === undefined ? [] : [page];
    table.apply({ version: { ...VERSION, seq: 3 }, previousSeq: 2, changes });
    expect(await visit('/a')).toMatchObject({ location: 'https://other.example' });
    const removals = changes.map(({ host }) => ({ host, redirect: null }));
    table.apply({ version: { ...VERSION, seq: 4 }, previousSeq: 3, changes: removals });
    expect(await visit('/a')).toMatchObject({ location: 'https://own.example/home' });
    expect(table.size).toBe(1);
  });

  it('cannot name a page as its host', async () => {
    const { visit } = await open(tableOf('old.example', ENTRIES, OWN));
    expect(await visit('/', '/id-of-old.example/0')).toMatchObject({ statusCode: 404 });
  });
});

describe('a visitor of a wildcard host', () => {
  const shared = [
    ...tableOf('*.shop.example', [{ source: '/*', destination: 'https://new.example/{host.2}/{host.1}/*' }]),
    {
      host: '*.de.shop.example',
      redirect: redirectOf('*.de.shop.example', { destination: 'https://de.example' }),
    },
    { host: 'a.shop.example', redirect: redirectOf('a.shop.example', { destination: 'https://a.example' }) },
    {
      host: '*.own.example',
      redirect: redirectOf('*.own.example', { destination: 'https://www.own.example' }),
    },
    {
      host: '*.named.example',
      redirect: redirectOf('*.named.example', {
        destination: 'https://new.example/{host.1}',
        pathForwarding: true,
        rules: [
          ruleOf(6, {
            conditions: [{ attribute: 'url_path', operator: 'equals', value: '/ruled' }],
            action: { type: 'redirect', url: 'https://rule.example/?shop={host.2}', pathForwarding: false },
          }),
        ],
      }),
    },
  ];

  it('gets the most exact host, at any depth', async () => {
    const { visit, table, recorder } = await open(shared);
    expect(await visit('/p', 'b.shop.example')).toMatchObject({ location: 'https://new.example//b/p' });
    expect(await visit('/p', 'X.b.Shop.example.:8080')).toMatchObject({
      location: 'https://new.example/b/x/p',
    });
    expect(await visit('/', 'A.shop.example')).toMatchObject({ location: 'https://a.example' });
    expect(await visit('/', 'x.y.de.shop.example')).toMatchObject({ location: 'https://de.example' });
    expect(await visit('/p', 'de.shop.example')).toMatchObject({ location: 'https://new.example//de/p' });
    for (const host of [
      'shop.example',
      '.shop.example',
      'evil.example/.shop.example',
      'xshop.example',
      'example',
    ]) {
      expect(await visit('/', host), host).toMatchObject({ statusCode: 404 });
    }
    expect(table.serves('q.shop.example')).toBe(true);
    expect(table.serves('shop.example')).toBe(false);
    expect(['a.shop.example', 'q.shop.example'].map((host) => table.has(host))).toEqual([true, false]);
    expect(recorder.hits.slice(0, 3).map(({ host, requestedHost }) => [host, requestedHost])).toEqual([
      ['*.shop.example', 'b.shop.example'],
      ['*.shop.example', 'x.b.shop.example'],
      ['a.shop.example', ''],
    ]);
  });

  it('finds the labels of the host in the destination of the redirect and of rules', async () => {
    const { visit } = await open(shared);
    expect(await visit('/p', 'A.named.example:80')).toMatchObject({ location: 'https://new.example/a/p' });
    expect(await visit('/ruled', 'x.y.named.example')).toMatchObject({
      location: 'https://rule.example/?shop=y',
    });
  });

  it.each(['*.shop.example', '*.SHOP.example:80', '*.de.shop.example', 'a.*.shop.example'])(
    'cannot ask for %s',
    async (host) => {
      const { visit, recorder } = await open(shared);
      expect(await visit('/p', host)).toMatchObject({ statusCode: 404 });
      expect(recorder.hits).toHaveLength(0);
    },
  );

  it('gets 508 where the destination is the requested URL', async () => {
    const { visit } = await open(shared);
    expect(await visit('/', 'x.own.example')).toMatchObject({ statusCode: 301 });
    expect(await visit('/', 'www.own.example')).toMatchObject({ statusCode: 508 });
  });

  it('is not found once the wildcard is gone', async () => {
    const { visit, table } = await open(shared);
    const changes = [{ host: '*.shop.example', redirect: null }];
    table.apply({ version: { ...VERSION, seq: 3 }, previousSeq: 2, changes });
    expect(await visit('/', 'b.shop.example')).toMatchObject({ statusCode: 404 });
  });
});
