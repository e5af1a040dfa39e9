import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { RulesApi } from '../rules/rules-api.fixture.js';
import { readStaged } from './path-versions.js';
import { startPathsApi } from './paths-api.fixture.js';

let rules: RulesApi;
let user: TestUser;

beforeAll(async () => {
  rules = await startPathsApi();
  user = await rules.api.createUser({ plan: 'business' });
});
afterAll(() => rules.close());

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return rules.api.call(method, `/redirects/${path}`, {
    token: user.token,
    headers,
    ...(body !== undefined && { body }),
  });
}

const to = (source: string, destination: string, more = {}) => ({ source, destination, ...more });
const LIVE = [to('/a', '/1'), to('/b', '/2'), to('/c', '/3', { query: { q: true } })];
const STAGED = [to('/a', '/1'), to('/b', '/9'), to('/d/*', '/4/*')];

async function withLiveTable() {
  const { id, host } = await rules.createRedirect(user);
  const put = await call('PUT', `${id}/paths`, { entries: LIVE });
  expect(put.status, put.body).toBe(200);
  return { id, host };
}

const sourcesOf = async (id: string) =>
  (await call('GET', `${id}/paths`)).json.data.map((entry: { source: string }) => entry.source);

describe('a staged table of paths', () => {
  it('is kept beside the live one, compared with it, tested and published', async () => {
    const { id, host } = await withLiveTable();
    const staged = await call('PUT', `${id}/paths/staged`, {
      entries: STAGED,
      options: { unmatched: 'gone' },
    });
    expect([staged.status, staged.json.summary], staged.body).toEqual([200, { total: 3 }]);
    expect(await sourcesOf(id)).toEqual(['/a', '/b', '/c']);

    const diff = await call('GET', `${id}/paths/staged/diff`);
    expect(diff.json).toMatchObject({
      summary: { added: 1, changed: 1, removed: 1, unchanged: 1 },
      options: { live: { unmatched: 'destination' }, staged: { unmatched: 'gone' } },
      data: [
        { kind: 'changed', live: { source: '/b', destination: '/2' }, staged: { destination: '/9' } },
        { kind: 'removed', live: { source: '/c', query: { q: true } }, staged: null },
        { kind: 'added', live: null, staged: { source: '/d/*', destination: '/4/*' } },
      ],
      page: { nextCursor: null },
    });

    const urls = ['/b', '/d/x', `https://${host}/none`];
    const tested = await call('POST', `${id}/paths/staged/test`, { urls });
    expect(tested.json.results).toMatchObject([
      { source: '/b', entryId: null, location: expect.stringMatching(/\/9$/), reason: 'exact' },
      { source: '/d/*', location: expect.stringMatching(/\/4\/x$/), reason: 'pattern' },
      { source: null, statusCode: 410, reason: 'gone' },
    ]);
    expect((await call('POST', `${id}/paths/test`, { urls: ['/b'] })).json.results).toMatchObject([
      { location: expect.stringMatching(/\/2$/) },
    ]);

    const published = await call('POST', `${id}/paths/staged/publish`);
    expect([published.status, published.json], published.body).toEqual([
      200,
      { summary: { total: 3 }, diagnostics: [] },
    ]);
    expect(await sourcesOf(id)).toEqual(['/a', '/b', '/d/*']);
    expect((await call('GET', `${id}/paths`)).json.options.unmatched).toBe('gone');
    expect(await rules.served(host)).toMatchObject({ paths: { unmatched: 'gone' } });
    expect((await call('GET', `${id}/paths/staged`)).status).toBe(404);
  });

  it('is compared page by page where only the ends of paths differ', async () => {
    const { id } = await rules.createRedirect(user);
    const tableOf = (destination: string) =>
      [undefined, 'exact', 'below'].map((pathEnding) => to('/a/*', destination, { pathEnding }));
    await call('PUT', `${id}/paths`, { entries: tableOf('/1') });
    const staged = await call('PUT', `${id}/paths/staged`, { entries: tableOf('/2') });
    expect(staged.status, staged.body).toBe(200);
    const endings: string[] = [];
    for (let cursor = ''; endings.length < 4; ) {
      const { json } = await call('GET', `${id}/paths/staged/diff?limit=1${cursor}`);
      endings.push(...json.data.map(({ live }: { live: { pathEnding: string } }) => live.pathEnding));
      if (json.page.nextCursor === null) break;
      cursor = `&cursor=${json.page.nextCursor}`;
    }
    expect(endings).toEqual(['inherit', 'below', 'exact']);
  });

  it('is undone by restoring the table before, whose entries get their ids back', async () => {
    const { id } = await withLiveTable();
    const idsOf = async () =>
      Object.fromEntries(
        (await call('GET', `${id}/paths`)).json.data.map((entry: { source: string; id: number }) => [
          entry.source,
          entry.id,
        ]),
      );
    const before = await idsOf();
    await call('PUT', `${id}/paths/staged`, { entries: STAGED });
    await call('POST', `${id}/paths/staged/publish`);
    const between = await idsOf();
    expect(between['/a']).toBe(before['/a']);
    expect((await call('POST', `${id}/paths/restore`)).status).toBe(200);
    expect(await idsOf()).toEqual(before);
    expect((await call('POST', `${id}/paths/restore`)).status).toBe(200);
    expect(await idsOf()).toEqual(between);
  });

  it('keeps the ids of entries that differ only in the ends of their paths', async () => {
    const { id } = await rules.createRedirect(user);
    const put = async (endings: readonly (string | undefined)[]) => {
      const entries = endings.map((pathEnding) => to('/a/*', '/1', { pathEnding }));
      const { status, body } = await call('PUT', `${id}/paths`, { entries });
      expect(status, body).toBe(200);
      const { data } = (await call('GET', `${id}/paths`)).json;
      return Object.fromEntries(
        data.map((one: { pathEnding: string; id: number }) => [one.pathEnding, one.id]),
      );
    };
    const before = await put([undefined, 'exact']);
    expect(await put(['exact', undefined])).toEqual(before);
    // Another ending of the same entry.
    expect(await put(['below', 'exact'])).toEqual({ below: before.inherit, exact: before.exact });
  });

  it('is listed page by page, replaced, and discarded', async () => {
    const { id } = await withLiveTable();
    await call('PUT', `${id}/paths/staged`, { entries: [to('/old', '/x')] });
    await call('PUT', `${id}/paths/staged`, { entries: STAGED });
    const first = await call('GET', `${id}/paths/staged?limit=2`);
    expect(first.json).toMatchObject({
      data: [{ source: '/a', note: '', enabled: true }, { source: '/b' }],
      summary: { total: 3 },
    });
    const { nextCursor } = first.json.page;
    const second = await call('GET', `${id}/paths/staged?limit=2&cursor=${nextCursor}`);
    expect(second.json).toMatchObject({ data: [{ source: '/d/*' }], page: { nextCursor: null } });
    const page = await call('GET', `${id}/paths/staged/diff?limit=2`);
    const rest = await call('GET', `${id}/paths/staged/diff?limit=2&cursor=${page.json.page.nextCursor}`);
    expect(rest.json.data).toMatchObject([{ kind: 'added', staged: { source: '/d/*' } }]);

    expect((await call('DELETE', `${id}/paths/staged`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', 'staged'],
      ['GET', 'staged/diff'],
      ['DELETE', 'staged'],
      ['POST', 'staged/publish'],
    ] as const) {
      expect((await call(method, `${id}/paths/${path}`)).status, `${method} ${path}`).toBe(404);
    }
    const tested = await call('POST', `${id}/paths/staged/test`, { urls: ['/a'] });
    expect(tested.status).toBe(404);
    expect(await sourcesOf(id)).toEqual(['/a', '/b', '/c']);
  });

  it('is refused with the index of the entry, and then the staged one before stays', async () => {
    const { id } = await withLiveTable();
    await call('PUT', `${id}/paths/staged`, { entries: STAGED });
    const refused = await call('PUT', `${id}/paths/staged`, {
      entries: [to('/a', '/1'), to('/a', '/2')],
    });
    expect([refused.status, refused.json.error.field]).toEqual([422, 'entries.1.source']);
    const disabled = await call('PUT', `${id}/paths/staged`, {
      entries: [to('/a', '/1'), to('/x', 'mailto:x', { enabled: false })],
    });
    expect([disabled.status, disabled.json.error.field]).toEqual([422, 'entries.1.destination']);
    expect((await call('GET', `${id}/paths/staged`)).json.summary).toEqual({ total: 3 });
  });

  it('cannot be restored where nothing was replaced, and not by others', async () => {
    const { id } = await rules.createRedirect(user);
    expect((await call('POST', `${id}/paths/restore`)).status).toBe(404);
    const other = await rules.api.createUser({ plan: 'business' });
    const answer = await rules.api.call('PUT', `/redirects/${id}/paths/staged`, {
      token: other.token,
      body: { entries: STAGED },
    });
    expect(answer.status).toBe(403);
  });
});

describe('a table that is collapsed', () => {
  const chain = (host: string) => [
    { source: '/a', destination: `http://${host}/b`, statusCode: 302 },
    { source: '/b', destination: 'https://end.example/' },
  ];
  const destinationsOf = async (id: string) => {
    const { json } = await call('GET', `${id}/paths`);
    return json.data.map(({ destination }: { destination: string }) => destination);
  };
  const END = 'https://end.example/';

  it('leads to the last destination at once, and says so', async () => {
    const { id, host } = await rules.createRedirect(user);
    const { status, json } = await call('PUT', `${id}/paths?collapse=true`, { entries: chain(host) });
    expect(status).toBe(200);
    expect(json.diagnostics).toEqual([
      {
        kind: 'collapsed',
        source: '/a',
        other: '/b',
        message: `/a led to /b. It now leads to ${END} at once.`,
      },
    ]);
    expect(await destinationsOf(id)).toEqual([END, END]);
    const tested = await call('POST', `${id}/paths/test`, { urls: [`https://${host}/a`] });
    expect(tested.json.results[0]).toMatchObject({ location: END, statusCode: 302 });
  });

  it('is collapsed when it is staged, or when it is published', async () => {
    for (const [staged, published] of [
      ['?collapse=true', ''],
      ['', '?collapse=true'],
    ]) {
      const { id, host } = await rules.createRedirect(user);
      await call('PUT', `${id}/paths/staged${staged}`, { entries: chain(host) });
      expect((await call('POST', `${id}/paths/staged/publish${published}`)).status).toBe(200);
      expect(await destinationsOf(id)).toEqual([END, END]);
    }
  });

  it('stays as it is without the request, with active rules, and with an appended query', async () => {
    const [plain, ruled, appended] = [
      await rules.createRedirect(user),
      await rules.createRedirect(user),
      await rules.createRedirect(user, { appendQuery: { from: 'old' } }),
    ];
    await rules.createRule(user, ruled.id);
    for (const [{ id, host }, query] of [
      [plain, ''],
      [ruled, '?collapse=true'],
      [appended, '?collapse=true'],
    ] as const) {
      const { json } = await call('PUT', `${id}/paths${query}`, { entries: chain(host) });
      expect(json.diagnostics).toMatchObject([{ kind: 'chain', source: '/a', other: '/b' }]);
      expect(await destinationsOf(id)).toEqual([`http://${host}/b`, END]);
    }
  });
});

describe('the version of a table of paths', () => {
  const tagOf = async (id: string) => String((await call('GET', `${id}/paths`)).headers.etag);

  it('is told as ETag, and changes with each change', async () => {
    const { id } = await rules.createRedirect(user);
    const tags = [await tagOf(id)];
    const { json } = await call('POST', `${id}/paths`, to('/a', '/1'));
    tags.push(await tagOf(id));
    await call('PATCH', `${id}/paths/${json.id}`, { destination: '/2' });
    tags.push(await tagOf(id));
    await call('PUT', `${id}/paths`, { entries: LIVE });
    tags.push(await tagOf(id));
    await call('DELETE', `${id}/paths/${json.id}`);
    expect(new Set(tags.map((tag) => tag.split('-')[0])).size).toBe(4);
    const known = await call('GET', `${id}/paths`, undefined, { 'If-None-Match': await tagOf(id) });
    expect(known.status).toBe(304);
  });

  it('keeps a change from overwriting another one', async () => {
    const { id } = await withLiveTable();
    const old = await tagOf(id);
    const [entry] = (await call('GET', `${id}/paths`)).json.data;
    const changed = await call('PATCH', `${id}/paths/${entry.id}`, { note: 'n' }, { 'If-Match': old });
    expect(changed.status).toBe(200);
    await call('PUT', `${id}/paths/staged`, { entries: STAGED });
    for (const [method, path, body] of [
      ['PUT', 'paths', { entries: STAGED }],
      ['POST', 'paths', to('/new', '/1')],
      ['PATCH', `paths/${entry.id}`, { note: 'm' }],
      ['DELETE', `paths/${entry.id}`, undefined],
      ['POST', 'paths/staged/publish', undefined],
    ] as const) {
      const refused = await call(method, `${id}/${path}`, body, { 'If-Match': old });
      expect([refused.status, refused.json.error.code], path).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await sourcesOf(id)).toEqual(['/a', '/b', '/c']);
    // The comparison names the version of the live table that it used.
    const diff = await call('GET', `${id}/paths/staged/diff`);
    expect(String(diff.headers.etag).split('-')[0]).toBe(String(changed.headers.etag).split('-')[0]);
    const current = String(changed.headers.etag);
    expect((await call('PUT', `${id}/paths`, { entries: STAGED }, { 'If-Match': current })).status).toBe(200);
  });
});

it('a staged table is read as a whole, however often another one replaces it meanwhile', async () => {
  const { id } = await withLiveTable();
  let staged = 0;
  const stage = async () => {
    staged += 1;
    const answer = await call('PUT', `${id}/paths/staged`, {
      entries: [to('/one', `/${staged}`), to('/two', `/${staged}`)],
    });
    expect(answer.status, answer.body).toBe(200);
  };
  await stage();
  const { database } = rules.api;
  const read = await readStaged(
    {
      ...database,
      async query<Row extends object>(sql: string, params?: readonly unknown[]) {
        if (staged > 20) throw new Error('the table is read again and again');
        const rows = await database.query<Row>(sql, params);
        if (sql.includes('path_version_entries')) await stage();
        return rows;
      },
      transaction: (work, options) => database.transaction(work, options),
    },
    id,
  );
  expect(read.entries.map(({ source, destination }) => [source, destination])).toEqual([
    ['/one', `/${staged}`],
    ['/two', `/${staged}`],
  ]);
});
