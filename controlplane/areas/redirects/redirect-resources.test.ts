import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions, TestUser } from '../../http/api.fixture.js';
import { createRedirectPurge, deletedRedirects } from './deleted-redirects.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

let count = 0;
const newDomain = () => `resource-${++count}.example`;
const errorOf = (status: number, code: string, field?: string) => ({
  status,
  json: { error: field === undefined ? { code } : { code, field } },
});
const call = (method: string, url: string, options: CallOptions = {}) =>
  area.api.call(method, url, { token: user.token, ...options });

async function create(body: object = {}) {
  const answer = await call('POST', '/redirects', {
    body: { fromDomain: newDomain(), toDomain: 'https://new.example', ...body },
  });
  expect(answer.status).toBe(201);
  return { ...answer.json, etag: answer.headers.etag };
}

async function verify(redirect: { fromDomain: string; verification: { name: string; value: string } }) {
  area.dns.setTxt(redirect.verification.name, [redirect.verification.value]);
  await call('POST', '/verify-domain', { body: { domain: redirect.fromDomain } });
}

const OPTIONS = {
  statusCode: 308,
  enabled: true,
  tags: ['spring', 'old'],
  note: 'moved',
  startsAt: '2020-01-01T00:00:00.000Z',
  endsAt: '2999-01-01T00:00:00.000Z',
  afterEnd: { url: 'https://over.example/end' },
  responseHeaders: { 'X-Robots-Tag': 'noindex', 'Cache-Control': 'private' },
  appendQuery: { utm_source: 'old', b: '', a: 'ü' },
  httpsMode: 'upgrade',
  hsts: { maxAge: 300, includeSubDomains: true, preload: false },
};

describe('new members', () => {
  test('are stored, shown everywhere, published, and survive an update that does not know them', async () => {
    const redirect = await create({ ...OPTIONS, externalId: 'crm-1' });
    const expected = { ...OPTIONS, externalId: 'crm-1', redirectType: 'permanent' };
    expect(redirect).toMatchObject(expected);
    expect(Object.keys(redirect.appendQuery)).toEqual(['utm_source', 'b', 'a']);
    const given = { toDomain: 'https://newer.example', redirectType: 'permanent', pathForwarding: true };
    const updated = await call('PUT', `/update/${redirect.id}`, { body: given });
    expect(updated).toMatchObject({ status: 200, json: { ...expected, ...given, version: 2 } });
    const list = await call('GET', '/get-redirects/me');
    expect(list.json).toContainEqual(updated.json);
    await verify(redirect);
    const { enabled: _, tags: __, note: ___, ...published } = OPTIONS;
    expect(await area.served(redirect.fromDomain)).toMatchObject({
      ...published,
      startsAt: Date.parse(OPTIONS.startsAt),
      endsAt: Date.parse(OPTIONS.endsAt),
    });
  });

  test.each<[string, object, string]>([
    ['21 tags', { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'tags'],
    ['an empty tag', { tags: ['a', ' '] }, 'tags.1'],
    ['a long tag', { tags: ['a'.repeat(51)] }, 'tags.0'],
    ['a status that is no redirect', { statusCode: 303 }, 'statusCode'],
    ['a status of the other type', { statusCode: 302, redirectType: 'permanent' }, 'statusCode'],
    ['an unreadable start', { startsAt: 'tomorrow' }, 'startsAt'],
    ['an end before the start', { startsAt: '2030-01-02', endsAt: '2030-01-01' }, 'endsAt'],
    ['no answer after the end', { afterEnd: {} }, 'afterEnd'],
    ['another status after the end', { afterEnd: { statusCode: 404 } }, 'afterEnd.statusCode'],
    ['two answers after the end', { afterEnd: { statusCode: 410, url: 'https://a.example' } }, 'afterEnd'],
    ['a bad URL after the end', { afterEnd: { url: 'ftp://a.example' } }, 'afterEnd.url'],
    ['an unknown header', { responseHeaders: { Location: 'x' } }, 'responseHeaders.Location'],
    [
      'a header with a line end',
      { responseHeaders: { 'X-Robots-Tag': 'a\r\nB: c' } },
      'responseHeaders.X-Robots-Tag',
    ],
    [
      'a header without a value',
      { responseHeaders: { 'X-Robots-Tag': ' ' } },
      'responseHeaders.X-Robots-Tag',
    ],
    ['a parameter without a name', { appendQuery: { '': 'a' } }, 'appendQuery'],
    ['a parameter that is no text', { appendQuery: { a: 1 } }, 'appendQuery.a'],
    ['an unknown mode', { httpsMode: 'on' }, 'httpsMode'],
    ['HSTS without an age', { hsts: { preload: true } }, 'hsts.maxAge'],
    ['an empty external id', { externalId: '' }, 'externalId'],
    ['no switch', { enabled: null }, 'enabled'],
    [
      'a loop after the end',
      { fromDomain: 'a.loop.example', afterEnd: { url: 'https://a.loop.example/' } },
      'afterEnd.url',
    ],
  ])('%s: 422', async (_, body, field) => {
    const answer = await call('POST', '/redirects', {
      body: { fromDomain: newDomain(), toDomain: 'https://new.example', ...body },
    });
    expect(answer).toMatchObject({ status: 422, json: { error: { field } } });
  });

  test('lead to a loop through other redirects: 422', async () => {
    const first = await create();
    const second = await create({ afterEnd: { url: `https://${first.fromDomain}` } });
    const body = { toDomain: `https://${second.fromDomain}` };
    expect(await call('PATCH', `/redirects/${first.id}`, { body })).toMatchObject(
      errorOf(422, 'REDIRECT_LOOP', 'toDomain'),
    );
    expect(
      await call('PATCH', `/redirects/${first.id}`, {
        body: { afterEnd: { url: `https://${second.fromDomain}` } },
      }),
    ).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'afterEnd.url'));
  });

  test('have an external id once per user', async () => {
    const first = await create({ externalId: 'once' });
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example', externalId: 'once' };
    const refusal = errorOf(422, 'EXTERNAL_ID_EXISTS', 'externalId');
    expect(await call('POST', '/redirects', { body })).toMatchObject(refusal);
    const second = await create({ externalId: 'twice' });
    const patch = { body: { externalId: 'once' } };
    expect(await call('PATCH', `/redirects/${second.id}`, patch)).toMatchObject(refusal);
    expect((await call('POST', '/redirects', { token: other.token, body })).status).toBe(201);
    await call('DELETE', `/redirects/${first.id}`);
    expect((await call('PATCH', `/redirects/${second.id}`, patch)).json.externalId).toBe('once');
    expect(await call('POST', `/redirects/${first.id}/restore`)).toMatchObject(refusal);
  });

  test.each<[object, object, number]>([
    [{ statusCode: 307 }, { redirectType: 'permanent' }, 301],
    [{ redirectType: 'permanent', statusCode: 308 }, { redirectType: 'temporary', statusCode: 308 }, 302],
    [{ statusCode: 308 }, { statusCode: 302, redirectType: 'permanent' }, 302],
    [{ statusCode: 308 }, { redirectType: 'permanent' }, 308],
    [{ statusCode: 308 }, {}, 308],
  ])('status and type: %j, then PUT %j gives %i', async (before, body, statusCode) => {
    const { id } = await create(before);
    const { json } = await call('PUT', `/update/${id}`, { body });
    const redirectType = statusCode === 301 || statusCode === 308 ? 'permanent' : 'temporary';
    expect(json).toMatchObject({ statusCode, redirectType });
  });

  test('give the status of the record, and decide what is served', async () => {
    const redirect = await create();
    expect(redirect.status).toBe('pending');
    await verify(redirect);
    const patch = async (body: object) =>
      (await call('PATCH', `/redirects/${redirect.id}`, { body })).json.status;
    expect(await patch({ startsAt: '2999-01-01' })).toBe('scheduled');
    expect(await patch({ startsAt: '2020-01-01', endsAt: '2021-01-01' })).toBe('ended');
    expect(await area.served(redirect.fromDomain)).toBeDefined();
    expect(await patch({ enabled: false })).toBe('disabled');
    expect(await area.served(redirect.fromDomain)).toBeUndefined();
    expect((await area.changedHosts()).at(-1)).toBe(redirect.fromDomain);
    expect(await patch({ enabled: null, startsAt: null, endsAt: null })).toBe('active');
    expect(await area.served(redirect.fromDomain)).not.toHaveProperty('endsAt');
  });
});

describe('PATCH', () => {
  test('merges objects and sets defaults for null, under both content types', async () => {
    const { id } = await create(OPTIONS);
    const body = {
      responseHeaders: { 'Cache-Control': null, 'referrer-policy': 'no-referrer' },
      appendQuery: { b: null, c: 'new' },
      hsts: { preload: true },
      afterEnd: { url: null, statusCode: 410 },
      tags: null,
      note: null,
      statusCode: null,
    };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { json } = await call('PATCH', `/redirects/${id}`, { body: JSON.stringify(body), headers });
    expect(json).toMatchObject({
      responseHeaders: { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' },
      appendQuery: { utm_source: 'old', a: 'ü', c: 'new' },
      hsts: { maxAge: 300, includeSubDomains: true, preload: true },
      afterEnd: { statusCode: 410 },
      tags: [],
      note: '',
      statusCode: 301,
    });
    expect(json.responseHeaders).not.toHaveProperty('Cache-Control');
    const cleared = { responseHeaders: null, appendQuery: null, hsts: null, afterEnd: null };
    expect((await call('PATCH', `/redirects/${id}`, { body: cleared })).json).toMatchObject({
      responseHeaders: {},
      appendQuery: {},
      hsts: null,
      afterEnd: null,
    });
  });

  test('replaces the answer after the end by the other one', async () => {
    const { id } = await create(OPTIONS);
    for (const afterEnd of [{ statusCode: 410 }, { url: 'https://over.example/end' }]) {
      const { json } = await call('PATCH', `/redirects/${id}`, { body: { afterEnd } });
      expect(json.afterEnd).toEqual(afterEnd);
    }
  });

  test('changes and removes headers however their names are written', async () => {
    const { id } = await create(OPTIONS);
    const patch = { 'cache-control': null, 'X-ROBOTS-TAG': 'none' };
    const answer = await call('PATCH', `/redirects/${id}`, { body: { responseHeaders: patch } });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json.responseHeaders).toEqual({ 'X-Robots-Tag': 'none' });
  });

  test('takes the whole record back and refuses what cannot change', async () => {
    const { etag: _, ...redirect } = await create(OPTIONS);
    const url = `/redirects/${redirect.id}`;
    expect((await call('PATCH', url, { body: redirect })).json).toMatchObject({ ...OPTIONS, version: 2 });
    expect(await call('PATCH', url, { body: { fromDomain: 'x.example' } })).toMatchObject(
      errorOf(422, 'VALIDATION_ERROR', 'fromDomain'),
    );
    expect(await call('PATCH', url, { body: { toDomain: null } })).toMatchObject(
      errorOf(422, 'VALIDATION_ERROR', 'toDomain'),
    );
    expect(await call('PATCH', url, { body: { tags: [5] } })).toMatchObject(
      errorOf(422, 'VALIDATION_ERROR', 'tags.0'),
    );
  });

  test('has a content type that other methods refuse', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect(await call('POST', '/redirects', { body: '{}', headers })).toMatchObject(
      errorOf(400, 'INVALID_REQUEST'),
    );
  });
});

describe('entity tags', () => {
  test('answer 304 while nothing changes', async () => {
    const redirect = await create();
    const url = `/redirects/${redirect.id}`;
    const { headers } = await call('GET', url);
    expect(headers.etag).toBe(redirect.etag);
    const known = { headers: { 'if-none-match': `"x", W/${redirect.etag}` } };
    expect(await call('GET', url, known)).toMatchObject({
      status: 304,
      body: '',
      headers: { etag: redirect.etag },
    });
    area.usage.set(redirect.id, { recordedHits: 1, estimatedTotalHits: 1 });
    expect((await call('GET', url, known)).status).toBe(200);
    await call('PATCH', url, { body: { note: 'x' } });
    expect((await call('GET', url, known)).status).toBe(200);
    expect(await call('GET', url, { headers: { 'if-none-match': 'bare' } })).toMatchObject(
      errorOf(400, 'INVALID_REQUEST', 'If-None-Match'),
    );
  });

  test.each<[string, (id: string) => string, object?]>([
    ['PATCH', (id) => `/redirects/${id}`, { note: 'x' }],
    ['PUT', (id) => `/update/${id}`, { toDomain: 'https://other.example' }],
    ['DELETE', (id) => `/redirects/${id}`],
    ['DELETE', (id) => `/delete-redirect/${id}`],
  ])('of another version keep %s from changing anything', async (method, url, body) => {
    const { id, etag } = await create();
    const options = (tag: string) => ({ headers: { 'if-match': tag }, ...(body && { body }) });
    // A visit changes the representation, not the version.
    area.usage.set(id, { recordedHits: 7, estimatedTotalHits: 7 });
    const changed = await call('PUT', `/update/${id}`, { body: { samplingRate: 0.5 } });
    const refused = await call(method, url(id), options(etag));
    expect(refused).toMatchObject({ status: 412, json: { error: { code: 'PRECONDITION_FAILED' } } });
    expect(refused.json.error.message).toContain('version is 2');
    expect((await call('GET', `/redirects/${id}`)).json).toEqual(changed.json);
    expect((await call(method, url(id), options('nonsense'))).status).toBe(400);
    expect((await call(method, url(id), options(`"old", ${changed.headers.etag}`))).status).toBe(200);
  });
});

describe('deletion', () => {
  test('hides a redirect everywhere and frees its name and its place in the plan', async () => {
    const owner = await area.api.createUser({ plan: 'free' });
    const options = { token: owner.token };
    const made = [];
    for (let i = 0; i < 5; i += 1) {
      const body = { fromDomain: newDomain(), toDomain: 'https://new.example' };
      made.push((await call('POST', '/redirects', { ...options, body })).json);
    }
    const [first] = made;
    const body = { fromDomain: first.fromDomain, toDomain: 'https://new.example' };
    expect((await call('DELETE', `/delete-redirect/${first.id}`, options)).json.message).toBe(
      `The redirect of ${first.fromDomain} was deleted.`,
    );
    expect((await call('GET', `/redirects/${first.id}`, options)).status).toBe(404);
    expect((await call('PUT', `/update/${first.id}`, { ...options, body: {} })).status).toBe(404);
    expect((await call('DELETE', `/redirects/${first.id}`, options)).status).toBe(404);
    expect(
      await call('POST', '/verify-domain', { ...options, body: { domain: first.fromDomain } }),
    ).toMatchObject({ status: 404 });
    expect((await call('GET', '/get-redirects/me', options)).json).toHaveLength(4);
    expect((await call('GET', '/redirects?count=true', options)).json.total).toBe(4);
    expect((await call('POST', '/redirects', { ...options, body })).status).toBe(201);
    expect(await call('POST', `/redirects/${first.id}/restore`, options)).toMatchObject(
      errorOf(422, 'DOMAIN_EXISTS', 'fromDomain'),
    );
    await call('DELETE', `/redirects/${made[1].id}`, options);
    await call('POST', '/redirects', { ...options, body: { ...body, fromDomain: newDomain() } });
    expect(await call('POST', `/redirects/${made[1].id}/restore`, options)).toMatchObject(
      errorOf(403, 'PLAN_LIMIT_REACHED'),
    );
  });

  test('can be undone: the redirect is verified and served again', async () => {
    const redirect = await create(OPTIONS);
    await verify(redirect);
    const before = await area.served(redirect.fromDomain);
    const { json: live } = await call('GET', `/redirects/${redirect.id}`);
    await call('DELETE', `/redirects/${redirect.id}`);
    expect(await area.served(redirect.fromDomain)).toBeUndefined();
    const restored = await call('POST', `/redirects/${redirect.id}/restore`);
    expect(restored).toMatchObject({
      status: 200,
      json: { ...live, updatedAt: expect.any(String), version: live.version + 2 },
    });
    expect(await area.served(redirect.fromDomain)).toEqual(before);
    expect((await area.changedHosts()).at(-1)).toBe(redirect.fromDomain);
    expect(await call('POST', `/redirects/${redirect.id}/restore`)).toMatchObject({
      status: 200,
      json: { version: live.version + 2 },
    });
  });

  test('can only be undone by the owner, while nobody else has verified the domain and no loop closes', async () => {
    const redirect = await create();
    await verify(redirect);
    await call('DELETE', `/redirects/${redirect.id}`);
    const url = `/redirects/${redirect.id}/restore`;
    expect(await call('POST', url, { token: other.token })).toMatchObject(errorOf(403, 'FORBIDDEN'));
    await area.createVerified(other.token, {
      fromDomain: redirect.fromDomain,
      toDomain: 'https://x.example',
    });
    expect(await call('POST', url)).toMatchObject(errorOf(422, 'DOMAIN_TAKEN'));
    const start = await create({ toDomain: 'https://end.loop.example' });
    await call('DELETE', `/redirects/${start.id}`);
    await create({ fromDomain: 'end.loop.example', toDomain: `https://${start.fromDomain}` });
    expect(await call('POST', `/redirects/${start.id}/restore`)).toMatchObject(
      errorOf(422, 'REDIRECT_LOOP', 'toDomain'),
    );
  });

  test('is final after 30 days, and the count of the user stays right', async () => {
    const owner = await area.api.createUser({ plan: 'free' });
    const ids: string[] = [];
    for (let i = 0; i < 2; i += 1) {
      const body = { fromDomain: newDomain(), toDomain: 'https://new.example' };
      ids.push((await call('POST', '/redirects', { token: owner.token, body })).json.id);
    }
    await deletedRedirects.delete(area.api.database, ids);
    await area.api.database.query(
      "UPDATE redirects SET deleted_at = now() - interval '30 days 1 minute' WHERE id = $1",
      [ids[0]],
    );
    expect(await call('POST', `/redirects/${ids[0]}/restore`, { token: owner.token })).toMatchObject(
      errorOf(404, 'NOT_FOUND'),
    );
    const purge = createRedirectPurge({ database: area.api.database, logger: pino({ level: 'silent' }) });
    expect(await purge.runRound()).toBe(1);
    const left = await area.api.database.query('SELECT id FROM redirects WHERE user_id = $1', [owner.id]);
    expect(left).toEqual([{ id: ids[1] }]);
    const [counted] = await area.api.database.query('SELECT redirect_count FROM users WHERE id = $1', [
      owner.id,
    ]);
    expect(counted).toEqual({ redirect_count: 0 });
  });
});

describe('every route of resources', () => {
  const routes: [string, (id: string) => string, object?][] = [
    ['PATCH', (id) => `/redirects/${id}`, { samplingRate: 0.5 }],
    ['DELETE', (id) => `/redirects/${id}`],
    ['GET', (id) => `/redirects/${id}`],
  ];

  test.each(routes)(
    '%s answers 403 for a redirect of somebody else and 404 for none',
    async (method, url, body) => {
      const { etag: _, ...redirect } = await create();
      const options = { token: other.token, ...(body && { body }) };
      expect(await call(method, url(redirect.id), options)).toMatchObject(errorOf(403, 'FORBIDDEN'));
      expect(await call(method, url('doesnotexist'), options)).toMatchObject(errorOf(404, 'NOT_FOUND'));
      expect((await call('GET', `/redirects/${redirect.id}`)).json).toEqual(redirect);
    },
  );

  const guarded: [string, string, 'redirects:read' | 'redirects:write', object?][] = [
    ['GET', '/redirects', 'redirects:read'],
    ['POST', '/redirects', 'redirects:write', { fromDomain: 'a.example', toDomain: 'https://b.example' }],
    ['PATCH', '/redirects/x', 'redirects:write', {}],
    ['DELETE', '/redirects/x', 'redirects:write'],
    ['POST', '/redirects/x/restore', 'redirects:write'],
  ];

  test.each(guarded)('%s %s needs a token with the scope %s', async (method, url, scope, body) => {
    const withoutScope = await area.api.createToken(user.id, {
      scopes: ['analytics:read', scope === 'redirects:read' ? 'redirects:write' : 'redirects:read'],
    });
    const options = body === undefined ? {} : { body };
    expect(await area.api.call(method, url, options)).toMatchObject(errorOf(401, 'MISSING_TOKEN'));
    expect(await call(method, url, { ...options, token: withoutScope })).toMatchObject(
      errorOf(403, 'INSUFFICIENT_SCOPE'),
    );
  });
});
