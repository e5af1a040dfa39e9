import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPages } from '../../../shared/paths/memory-pages.js';
import { matchPath } from '../../../shared/paths/path-matcher.js';
import { pageKey } from '../../../shared/paths/published-paths.js';
import type { TestUser } from '../../http/api.fixture.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { PLANS } from '../plans/default-plans.js';
import type { RulesApi } from '../rules/rules-api.fixture.js';
import type { EntryHits } from './entry-hits.js';
import { startPathsApi } from './paths-api.fixture.js';

let rules: RulesApi;
let user: TestUser;
const hits = new Map<number, EntryHits>();

beforeAll(async () => {
  rules = await startPathsApi(hits);
  user = await rules.api.createUser({ plan: 'business' });
});
afterAll(() => rules.close());

const NEW = { source: '/old/*', destination: 'https://new.example/*' };

function call(method: string, path: string, body?: unknown, as: TestUser = user) {
  return rules.api.call(method, `/redirects/${path}`, {
    token: as.token,
    ...(body !== undefined && { body }),
  });
}

/** Resolves to the id of the entry that data planes use for a path of a redirect. */
async function served(host: string, path: string): Promise<number | undefined> {
  const { redirects, pages = [] } = await readSnapshot(createRulesetRepository(rules.api.database));
  const redirect = redirects.find((one) => one.host === host);
  if (redirect?.paths === undefined) return undefined;
  const byKey = new Map(Array.from(pages, (one) => [one.host, one.page]));
  const texts = Array.from(
    { length: 2 ** (redirect.paths.pageBits ?? 0) },
    (_, page) => byKey.get(pageKey(redirect.id, page)) ?? '',
  );
  return matchPath(redirect.paths, memoryPages(texts), path, () => '')?.id;
}

describe('an entry of a table of paths', () => {
  it('is created with defaults, published, changed, listed and deleted', async () => {
    const { id, host } = await rules.createRedirect(user);
    const created = await call('POST', `${id}/paths`, NEW);
    expect(created.status, created.body).toBe(201);
    expect(created.json).toMatchObject({
      ...NEW,
      query: null,
      statusCode: 301,
      queryForwarding: 'inherit',
      enabled: true,
      note: '',
      hitCount: 0,
      lastHitAt: null,
    });
    const { id: entryId } = created.json;
    expect(await served(host, '/old/x')).toBe(entryId);

    const changed = await call('PATCH', `${id}/paths/${entryId}`, {
      source: '/other',
      destination: '/x',
      note: 'n',
    });
    expect(changed.json).toMatchObject({
      id: entryId,
      source: '/other',
      destination: '/x',
      note: 'n',
      statusCode: 301,
    });
    expect(await served(host, '/old/x')).toBeUndefined();
    expect(await served(host, '/other')).toBe(entryId);

    hits.set(entryId, { hits: 3, lastHitAt: new Date('2026-01-02T03:04:05Z') });
    const listed = await call('GET', `${id}/paths`);
    expect(listed.json).toMatchObject({
      data: [{ id: entryId, hitCount: 3, lastHitAt: '2026-01-02T03:04:05.000Z' }],
      page: { limit: 50, nextCursor: null },
      options: { ignoreCase: false, ignoreTrailingSlash: true, unmatched: 'destination' },
    });

    await call('PATCH', `${id}/paths/${entryId}`, { enabled: false });
    expect(await served(host, '/other')).toBeUndefined();
    const deleted = await call('DELETE', `${id}/paths/${entryId}`);
    expect([deleted.status, deleted.json]).toEqual([200, { message: 'The path /other was deleted.' }]);
    expect((await call('DELETE', `${id}/paths/${entryId}`)).status).toBe(404);
    expect((await call('GET', `${id}/paths`)).json.data).toEqual([]);
    expect(await rules.served(host)).not.toHaveProperty('paths');
  });

  it.each([
    ['source', { source: 'x', destination: '/y' }],
    ['source', { destination: '/y' }],
    ['destination', { source: '/x', destination: 'mailto:x' }],
    ['destination', { source: '/x' }],
    ['statusCode', { source: '/x', destination: '/y', statusCode: 303 }],
    ['queryForwarding', { source: '/x', destination: '/y', queryForwarding: 'no' }],
    ['unknown', { source: '/x', destination: '/y', unknown: 1 }],
    ['query.a', { source: '/x', destination: '/y', query: { a: 1 } }],
  ])('is refused with the field %s', async (field, body) => {
    const { id } = await rules.createRedirect(user);
    const answer = await call('POST', `${id}/paths`, body);
    expect([answer.status, answer.json.error.field], answer.body).toEqual([422, field]);
  });

  it('publishes its redirect again while there is a takedown of a destination', async () => {
    const { id, host } = await rules.createRedirect(user);
    const { database } = rules.api;
    const timesPublished = async () =>
      (await database.query('SELECT 1 FROM ruleset_changes WHERE host = $1', [host])).length;
    await call('POST', `${id}/paths`, { source: '/a', destination: 'https://new.example/a' });
    const before = await timesPublished();
    await call('POST', `${id}/paths`, { source: '/b', destination: 'https://new.example/b' });
    expect(await timesPublished()).toBe(before);
    await database.query(
      `INSERT INTO takedowns (id, destination_host, reason, created_by) VALUES ('t', 'evil.example', 'r', 'o')`,
    );
    const evil = await call('POST', `${id}/paths`, { source: '/c', destination: 'https://evil.example/' });
    expect(await timesPublished()).toBe(before + 1);
    expect(await rules.served(host)).toMatchObject({ gone: true });
    await call('DELETE', `${id}/paths/${evil.json.id}`);
    expect(await timesPublished()).toBe(before + 2);
    expect(await rules.served(host)).not.toHaveProperty('gone');
    await database.query(`DELETE FROM takedowns WHERE id = 't'`);
  });

  it('is refused as a duplicate or a loop of the entries that exist', async () => {
    const { id, host } = await rules.createRedirect(user);
    await call('POST', `${id}/paths`, { source: '/a', destination: `http://${host}/b` });
    const duplicate = await call('POST', `${id}/paths`, { source: '/a/', destination: '/x' });
    expect([duplicate.status, duplicate.json.error]).toMatchObject([
      422,
      { code: 'VALIDATION_ERROR', field: 'source' },
    ]);
    const loop = await call('POST', `${id}/paths`, { source: '/b', destination: `http://${host}/a` });
    expect([loop.status, loop.json.error]).toMatchObject([422, { code: 'REDIRECT_LOOP', field: 'source' }]);
    expect(
      (await call('POST', `${id}/paths`, { source: '/a', destination: '/x', enabled: false })).status,
    ).toBe(201);
  });
});

describe('a table of paths', () => {
  it('is replaced in one step, keeps ids, and says what is noteworthy', async () => {
    const { id, host } = await rules.createRedirect(user);
    const first = (await call('POST', `${id}/paths`, { source: '/a', destination: '/x' })).json.id;
    const entries = [
      { source: '/a', destination: `http://${host}/b` },
      { source: '/b', destination: 'https://new.example/b' },
      { source: '/c', destination: null, statusCode: 410 },
    ];
    const answer = await call('PUT', `${id}/paths`, {
      options: { unmatched: 'gone', ignoreCase: true },
      entries,
    });
    expect(answer.status, answer.body).toBe(200);
    expect(answer.json).toMatchObject({
      summary: { total: 3 },
      diagnostics: [{ kind: 'chain', source: '/a', other: '/b' }],
    });
    expect(await served(host, '/A/')).toBe(first);
    expect((await rules.served(host))?.paths).toMatchObject({ ignoreCase: true, unmatched: 'gone' });
    const listed = await call('GET', `${id}/paths?limit=2`);
    expect(listed.json.data.map(({ source }: { source: string }) => source)).toEqual(['/a', '/b']);
    const rest = await call('GET', `${id}/paths?limit=2&cursor=${listed.json.page.nextCursor}`);
    expect(rest.json).toMatchObject({ data: [{ source: '/c' }], page: { nextCursor: null } });
    expect((await call('GET', `${id}/paths?search=NEW.ex`)).json.data).toMatchObject([{ source: '/b' }]);
    expect((await call('GET', `${id}/paths?cursor=x`)).json.error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'cursor',
    });
  });

  it('that is refused changes nothing and names the entry', async () => {
    const { id, host } = await rules.createRedirect(user);
    await call('PUT', `${id}/paths`, { entries: [NEW] });
    const before = await served(host, '/old/1');
    const ok = { source: '/ok', destination: '/x' };
    for (const [entries, field, code] of [
      [[ok, { ...ok, enabled: false }, ok], 'entries.2.source', 'VALIDATION_ERROR'],
      [[ok, { source: '/l', destination: `http://${host}/l` }], 'entries.1.source', 'REDIRECT_LOOP'],
      [[ok, { source: '/l', destination: '//l' }], 'entries.1.destination', 'VALIDATION_ERROR'],
      [[{ source: 'l', destination: '/l', enabled: false }], 'entries.0.source', 'VALIDATION_ERROR'],
    ] as const) {
      const answer = await call('PUT', `${id}/paths`, { entries });
      expect([answer.status, answer.json.error], answer.body).toMatchObject([422, { code, field }]);
    }
    expect(await served(host, '/old/1')).toBe(before);
  });

  it('takes other options and keeps its entries', async () => {
    const { id, host } = await rules.createRedirect(user);
    const { json } = await call('POST', `${id}/paths`, { source: '/Shoes', destination: '/x' });
    await call('POST', `${id}/paths`, { source: '/off', destination: '/x', enabled: false });
    expect(await served(host, '/shoes')).toBeUndefined();
    const changed = await call('PATCH', `${id}/paths`, { options: { ignoreCase: true } });
    expect([changed.status, changed.json], changed.body).toEqual([
      200,
      { options: { ignoreCase: true, ignoreTrailingSlash: true, unmatched: 'destination' } },
    ]);
    expect(await served(host, '/shoes')).toBe(json.id);
    await call('PATCH', `${id}/paths`, { options: { unmatched: 'gone' } });
    expect((await rules.served(host))?.paths).toMatchObject({ ignoreCase: true, unmatched: 'gone' });
    const listed = await call('GET', `${id}/paths`);
    expect(listed.json.data).toMatchObject([{ id: json.id }, { source: '/off', enabled: false }]);
  });

  it('takes options before it has entries, and refuses options that make entries equal', async () => {
    const { id, host } = await rules.createRedirect(user);
    await call('PATCH', `${id}/paths`, { options: { unmatched: 'not_found' } });
    expect((await call('GET', `${id}/paths`)).json.options).toMatchObject({ unmatched: 'not_found' });
    expect((await rules.served(host))?.paths).toMatchObject({ unmatched: 'not_found' });
    for (const source of ['/a', '/A']) await call('POST', `${id}/paths`, { source, destination: '/x' });
    const refused = await call('PATCH', `${id}/paths`, { options: { ignoreCase: true } });
    expect([refused.status, refused.json.error]).toMatchObject([
      422,
      { code: 'VALIDATION_ERROR', field: 'options', message: expect.stringContaining('/A matches the same') },
    ]);
    expect(await served(host, '/A')).not.toBe(await served(host, '/a'));
    expect((await call('PATCH', `${id}/paths`, { options: { unmatched: 'x' } })).status).toBe(422);
    expect((await call('PATCH', `${id}/paths`, {})).status).toBe(422);
    const other = await rules.api.createUser();
    expect((await call('PATCH', `${id}/paths`, { options: {} }, other)).status).toBe(403);
    const stale = await rules.api.call('PATCH', `/redirects/${id}/paths`, {
      token: user.token,
      headers: { 'if-match': '"0-x"' },
      body: { options: {} },
    });
    expect(stale.status).toBe(412);
  });

  it('has as many entries as the plan allows', async () => {
    const other = await rules.api.createUser();
    const { id } = await rules.createRedirect(other);
    const entries = Array.from({ length: 10_001 }, (_, index) => ({
      source: `/${index}`,
      destination: '/x',
    }));
    const refused = await call('PUT', `${id}/paths`, { entries }, other);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'PLAN_LIMIT_REACHED']);
    expect((await call('PUT', `${id}/paths`, { entries: entries.slice(1) }, other)).json.summary).toEqual({
      total: 10_000,
    });
    expect((await call('POST', `${id}/paths`, NEW, other)).status).toBe(403);
  });

  it('publishes only the page of an entry that changes', async () => {
    const { id } = await rules.createRedirect(user);
    const entries = Array.from({ length: 1_000 }, (_, index) => ({ source: `/${index}`, destination: '/x' }));
    await call('PUT', `${id}/paths`, { entries });
    const repository = createRulesetRepository(rules.api.database);
    const before = await repository.readHead();
    const added = await call('POST', `${id}/paths`, { source: '/new', destination: '/y' });
    expect(added.status).toBe(201);
    const delta = await repository.readDelta(before, 100);
    expect(delta?.changes).toHaveLength(1);
    expect(delta?.changes[0]?.page).toContain('/new ');
    const same = await repository.readHead();
    await call('PUT', `${id}/paths`, { entries: [...entries, { source: '/new', destination: '/y' }] });
    expect((await repository.readHead()).seq).toBe(same.seq);
  });

  it('belongs to the owner of the redirect', async () => {
    const { id } = await rules.createRedirect(user);
    const entry = (await call('POST', `${id}/paths`, NEW)).json.id;
    const other = await rules.api.createUser();
    for (const [method, path, body] of [
      ['GET', `${id}/paths`],
      ['POST', `${id}/paths`, NEW],
      ['PUT', `${id}/paths`, { entries: [] }],
      ['PATCH', `${id}/paths/${entry}`, {}],
      ['DELETE', `${id}/paths/${entry}`],
      ['POST', `${id}/paths/test`, { urls: ['/x'] }],
    ] as const) {
      expect((await call(method, path, body, other)).status, `${method} ${path}`).toBe(403);
      expect((await call(method, path.replace(id, 'unknown'), body)).status, `${method} ${path}`).toBe(404);
    }
  });
});

describe('a test of URLs', () => {
  it('says what decides, without counting', async () => {
    const { id, host } = await rules.createRedirect(user, { toDomain: 'https://new.example/home' });
    await call('PUT', `${id}/paths`, {
      entries: [
        { source: '/a', destination: '/x', statusCode: 302 },
        { source: '/p/:id', destination: 'https://other.example/{query.q}/:id' },
        { source: '/gone', destination: null, statusCode: 410 },
      ],
    });
    await rules.createRule(user, id, {
      conditions: [{ attribute: 'url_path', operator: 'equals', value: '/rule' }],
    });
    const urls = [`https://${host}/a/`, `http://${host}/p/5?q=7`, '/gone', '/rule', '/none?x'];
    const { json } = await call('POST', `${id}/paths/test`, { urls });
    expect(json.results).toEqual([
      {
        url: urls[0],
        entryId: expect.any(Number),
        source: '/a',
        statusCode: 302,
        location: 'https://new.example/x',
        reason: 'exact',
      },
      {
        url: urls[1],
        entryId: expect.any(Number),
        source: '/p/:id',
        statusCode: 301,
        location: 'https://other.example/7/5',
        reason: 'pattern',
      },
      {
        url: '/gone',
        entryId: expect.any(Number),
        source: '/gone',
        statusCode: 410,
        location: null,
        reason: 'exact',
      },
      {
        url: '/rule',
        entryId: null,
        source: null,
        statusCode: 301,
        location: 'https://rule.example/',
        reason: 'rule',
      },
      {
        url: '/none?x',
        entryId: null,
        source: null,
        statusCode: 301,
        location: 'https://new.example/home',
        reason: 'destination',
      },
    ]);
    await call('PUT', `${id}/paths`, { options: { unmatched: 'not_found' }, entries: [] });
    const unmatched = await call('POST', `${id}/paths/test`, { urls: ['/a'] });
    expect(unmatched.json.results).toMatchObject([{ statusCode: 404, location: null, reason: 'not_found' }]);
    const refused = await call('POST', `${id}/paths/test`, { urls: ['/a', 'x y'] });
    expect([refused.status, refused.json.error.field]).toEqual([422, 'urls.1']);
  });

  it('shows the query that the redirect appends, and its status', async () => {
    const { id } = await rules.createRedirect(user, {
      toDomain: 'https://new.example/home',
      statusCode: 308,
      appendQuery: { utm_source: 'old' },
    });
    await call('PUT', `${id}/paths`, { entries: [{ source: '/a', destination: '/x' }] });
    const { json } = await call('POST', `${id}/paths/test`, { urls: ['/a', '/b'] });
    expect(json.results).toMatchObject([
      { statusCode: 301, location: 'https://new.example/x?utm_source=old' },
      { statusCode: 308, location: 'https://new.example/home?utm_source=old' },
    ]);
  });
});

describe('an entry that keeps another one from a loop', () => {
  /** Creates `/*` with the destination `/a` on its own host, and an entry for `/a` with another destination. */
  async function guarded() {
    const { id, host } = await rules.createRedirect(user);
    const entries = [
      { source: '/*', destination: `http://${host}/a` },
      { source: '/a', destination: 'https://new.example/a' },
      { source: '/b', destination: 'https://new.example/b' },
    ];
    expect((await call('PUT', `${id}/paths`, { entries })).status).toBe(200);
    const { data } = (await call('GET', `${id}/paths`)).json as { data: { id: number; source: string }[] };
    const idOf = (source: string) => data.find((one) => one.source === source)?.id;
    return {
      id,
      guard: `${id}/paths/${idOf('/a')}`,
      other: `${id}/paths/${idOf('/b')}`,
      star: `${id}/paths/${idOf('/*')}`,
    };
  }

  it.each([
    ['deleted', 'DELETE', undefined, undefined],
    ['disabled', 'PATCH', { enabled: false }, 'enabled'],
    ['moved', 'PATCH', { source: '/c' }, 'source'],
    ['narrowed by a condition', 'PATCH', { query: { q: '1' } }, 'source'],
  ] as const)('is not %s', async (_, method, body, field) => {
    const { guard } = await guarded();
    const { status, json } = await call(method, guard, body);
    expect([status, json.error.code, json.error.field]).toEqual([422, 'REDIRECT_LOOP', field]);
    expect(json.error.message).toContain('the destination of /* leads back to it');
  });

  it('may go once the other one leads elsewhere, and others may go at any time', async () => {
    const { guard, other, star } = await guarded();
    expect((await call('DELETE', other)).status).toBe(200);
    expect((await call('PATCH', guard, { destination: 'https://new.example/c' })).status).toBe(200);
    expect((await call('PATCH', star, { destination: 'https://new.example/' })).status).toBe(200);
    expect((await call('DELETE', guard)).status).toBe(200);
  });
});

it('pages of a table go with a deleted redirect and come back with it', async () => {
  const { id } = await rules.createRedirect(user);
  await call('PUT', `${id}/paths`, { entries: [{ source: '/a', destination: '/x' }] });
  const changed = async () => {
    const rows = await rules.api.database.query<{ host: string }>(
      'SELECT host FROM ruleset_changes ORDER BY seq',
    );
    return rows.map(({ host }) => host);
  };
  const pages = (await changed()).filter((host) => host.startsWith(`/${id}/`));
  expect(pages).toHaveLength(1);
  const owner = { id: user.id, email: user.email, scopes: [], plan: PLANS.business };
  for (const change of ['delete', 'restore'] as const) {
    const before = (await changed()).length;
    await rules.redirects[change](owner, id);
    expect((await changed()).slice(before)).toEqual(expect.arrayContaining(pages));
  }
});

describe('the pages of a table', () => {
  it('are read in parts of bounded length', async () => {
    const { id, host } = await rules.createRedirect(user);
    const entries = Array.from({ length: 4_000 }, (_, at) => ({
      source: `/${at}`,
      destination: `https://new.example/${'é'.repeat(300)}${at}`,
    }));
    expect((await call('PUT', `${id}/paths`, { entries })).status).toBe(200);
    const repository = createRulesetRepository(rules.api.database);
    const lengthOf = (changes: readonly { page?: string }[]) =>
      changes.reduce((sum, { page = '' }) => sum + page.length, 0);
    const keys: string[] = [];
    for (let after = `/${id}/`; ; after = keys.at(-1) ?? '') {
      const some = await repository.readPathPages(after, 200);
      if (some.length > 1) expect(lengthOf(some)).toBeLessThanOrEqual(4 * 1024 * 1024);
      const own = some.filter((change) => change.host.startsWith(`/${id}/`));
      keys.push(...own.map((change) => change.host));
      if (own.length < some.length || some.length === 0) break;
    }
    expect(keys).toHaveLength(32);

    const asked = [host, ...keys];
    const read: string[] = [];
    while (read.length < asked.length) {
      const some = await repository.readHosts(asked.slice(read.length));
      if (some.length > 1) expect(lengthOf(some)).toBeLessThanOrEqual(4 * 1024 * 1024);
      expect(some.length).toBeGreaterThan(0);
      for (const { host: one, page, redirect } of some) {
        expect(page === undefined).toBe(redirect !== null);
        read.push(one);
      }
    }
    expect(read).toEqual(asked);
  });
});
