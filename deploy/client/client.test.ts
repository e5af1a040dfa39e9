import { afterEach, describe, expect, it } from 'vitest';
import { TEST_TOKEN, useControlplane } from './product.fixture.js';
import { type ClientOptions, createClient, WaymarkError } from './src/index.js';
import { type Fate, startUnreliableProxy, type UnreliableProxy } from './unreliable-proxy.fixture.js';

const product = useControlplane();
const client = (options: ClientOptions = {}) =>
  createClient({ url: product.url, token: TEST_TOKEN, ...options });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('the request succeeded'),
    (error: unknown) => error as WaymarkError,
  );
const toDomain = 'https://new.example';

const proxies: UnreliableProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});
async function through(...fates: Fate[]): Promise<UnreliableProxy> {
  const proxy = await startUnreliableProxy(product.url, fates);
  proxies.push(proxy);
  return proxy;
}

describe('requests', () => {
  it('fill in the path, send query and body, and return the data', async () => {
    const created = await client().request('POST', '/redirects', {
      body: { fromDomain: 'a.localhost', toDomain },
    });
    const { id } = created;
    expect(created).toMatchObject({ fromDomain: 'a.localhost', enabled: true });
    const changed = await client().request('PATCH', '/redirects/{id}', {
      params: { id },
      body: { note: 'ä / ?' },
    });
    expect(changed.note).toBe('ä / ?');
    const page = await client().request('GET', '/redirects', {
      query: { search: 'ä / ?', count: true, tag: undefined },
    });
    expect(page).toMatchObject({ data: [{ id }], total: 1 });
  });

  it('refuse a path without its parameter before anything is sent', async () => {
    const wrong = { params: { id: '' } };
    await expect(client().request('GET', '/redirects/{id}', wrong)).rejects.toThrow('needs params.id');
  });

  it('send texts as they are, with their content type', async () => {
    const body =
      'fromDomain,toDomain\ncsv-1.localhost,https://new.example\ncsv-2.localhost,https://new.example\n';
    const answer = await client().request('POST', '/redirects/bulk', { body, contentType: 'text/csv' });
    expect(answer.summary).toMatchObject({ created: 2, failed: 0 });
  });

  it('take the token from a function before each request', async () => {
    const tokens = ['wm_wrong', TEST_TOKEN];
    const changing = client({ token: async () => tokens.shift() ?? '' });
    expect((await failure(changing.account.get())).code).toBe('INVALID_TOKEN');
    expect((await changing.account.get()).user.email).toBe('owner@example.com');
  });

  it('stream exports', async () => {
    const response = await client().redirects.export({ format: 'ndjson' });
    expect(response.headers.get('content-type')).toContain('ndjson');
    expect(await response.text()).toContain('"fromDomain":"a.localhost"');
  });
});

describe('errors', () => {
  it('have code, field, status, request id and message', async () => {
    const body = { fromDomain: 'b.localhost', toDomain: 'ftp://x.example' };
    const error = await failure(client().redirects.create(body));
    expect(error).toBeInstanceOf(WaymarkError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 422, field: 'toDomain' });
    expect(error.requestId).toMatch(/^[\w-]{8,}$/);
    expect(error.message).toContain('http');
  });

  it('keep the results of a refused bulk change', async () => {
    const error = await failure(client().redirects.bulk([{ fromDomain: 'com', toDomain }]));
    expect(error).toMatchObject({ code: 'BULK_REJECTED', body: { applied: false, summary: { failed: 1 } } });
  });

  it('say that there is no server, or an other one', async () => {
    const gone = await through();
    await gone.close();
    const closed = await failure(client({ url: gone.url, retries: 0 }).account.get());
    expect(closed).toMatchObject({ code: 'CONNECTION_FAILED', status: 0 });
    expect(closed.message).toMatch(/^No connection to http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
    const { url } = await through({ status: 418 });
    expect(await failure(client({ url }).account.get())).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: 418,
    });
  });

  it('end a request that takes too long, and throw the reason of an abort', async () => {
    const slow = ((_url: string, { signal }: RequestInit) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      )) as typeof fetch;
    const waiting = client({ fetch: slow, timeoutMs: 10, retries: 0 });
    expect(await failure(waiting.account.get())).toMatchObject({ code: 'TIMEOUT', status: 0 });
    const controller = new AbortController();
    const aborted = client({ fetch: slow }).redirects.get('x', { signal: controller.signal });
    controller.abort('no longer needed');
    await expect(aborted).rejects.toBe('no longer needed');
  });
});

describe('retries', () => {
  it('wait as long as Retry-After says', async () => {
    const { url, requests } = await through({ status: 503, headers: { 'retry-after': '1' } });
    const startedAtMs = performance.now();
    await client({ url }).account.get();
    expect(performance.now() - startedAtMs).toBeGreaterThan(950);
    expect(requests).toHaveLength(2);
  });

  it('create once what was created by a request whose answer was lost', async () => {
    const { url, requests } = await through('lost', { status: 502 });
    const { id } = await client({ url }).redirects.create({ fromDomain: 'lost.localhost', toDomain });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(
      (await client().redirects.list({ search: 'lost.localhost' }).toArray()).map((one) => one.id),
    ).toEqual([id]);
  });

  it('do not repeat a deletion that may have been carried out, nor what is wrong for good', async () => {
    const { id } = await client().redirects.create({ fromDomain: 'once.localhost', toDomain });
    const { url, requests } = await through('lost', 'pass');
    expect((await failure(client({ url }).redirects.delete(id))).code).toBe('CONNECTION_FAILED');
    expect((await failure(client({ url }).redirects.get(id))).code).toBe('NOT_FOUND');
    expect(requests).toHaveLength(2);
  });

  it('end when the server asks for more time than the limit, and after the last attempt', async () => {
    const later = { status: 429, headers: { 'retry-after': '120' } };
    const patient = await through(later);
    const error = await failure(client({ url: patient.url }).account.get());
    expect(error).toMatchObject({ status: 429, retryAfterMs: 120_000 });
    const failing = await through({ status: 503 }, { status: 503 }, { status: 503 });
    expect((await failure(client({ url: failing.url, retries: 1 }).account.get())).status).toBe(503);
    expect([patient.requests.length, failing.requests.length]).toEqual([1, 2]);
  });
});

describe('lists', () => {
  it('read page after page, each time anew', async () => {
    const operations = Array.from({ length: 7 }, (_, index) => ({
      fromDomain: `p${index}.list.localhost`,
      toDomain,
    }));
    await client().redirects.bulk(operations);
    const list = client().redirects.list({ search: '.list.localhost', sort: 'fromDomain', limit: 3 });
    const expected = operations.map(({ fromDomain }) => fromDomain);
    for (let time = 0; time < 2; time++) {
      const found = [];
      for await (const { fromDomain } of list) found.push(fromDomain);
      expect(found).toEqual(expected);
    }
    const sizes = [];
    for await (const page of list.pages()) sizes.push(page.length);
    expect(sizes).toEqual([3, 3, 1]);
    expect(await list.toArray(4)).toHaveLength(4);
  });

  it('read no page that nobody asks for', async () => {
    const { url, requests } = await through();
    for await (const _ of client({ url }).redirects.list({ limit: 1 })) break;
    expect(requests).toHaveLength(1);
  });
});

describe('concurrent changes', () => {
  it('are refused with the etag of another version, and unchanged resources have no data', async () => {
    const { id } = await client().redirects.create({ fromDomain: 'etag.localhost', toDomain });
    const read = await client().answer('GET', '/redirects/{id}', { params: { id } });
    expect(read).toMatchObject({ status: 200, data: { id }, etag: expect.stringMatching(/^"/) });
    const again = await client().answer('GET', '/redirects/{id}', { params: { id }, ifNoneMatch: read.etag });
    expect(again).toMatchObject({ status: 304, data: undefined });
    await client().redirects.update(id, { note: 'first' }, { ifMatch: read.etag });
    const error = await failure(client().redirects.update(id, { note: 'second' }, { ifMatch: read.etag }));
    expect(error).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
  });

  it('lose nothing when they edit', async () => {
    const { id } = await client().redirects.create({ fromDomain: 'edit.localhost', toDomain });
    const add = (tag: string) => client().redirects.edit(id, ({ tags }) => ({ tags: [...tags, tag] }));
    await Promise.all(['a', 'b', 'c'].map(add));
    expect((await client().redirects.get(id)).tags.sort()).toEqual(['a', 'b', 'c']);
  });
});

it('works with the session cookie of a browser', async () => {
  const email = 'browser@example.com';
  const password = 'correct horse battery staple';
  await createClient({ url: product.url }).request('POST', '/auth/signup', { body: { email, password } });
  // A browser keeps cookies for `credentials: 'same-origin'`.
  let cookie = '';
  const browser: typeof fetch = async (input, init) => {
    const isSent = init?.credentials === 'same-origin';
    const headers = { ...(init?.headers as Record<string, string>), ...(isSent && cookie && { cookie }) };
    const response = await fetch(input, { ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  const session = createClient({ url: product.url, session: true, fetch: browser });
  await session.account.openSession(email, password);
  const { id } = await session.redirects.create({ fromDomain: 'session.localhost', toDomain });
  expect((await session.redirects.get(id)).fromDomain).toBe('session.localhost');
  await session.account.closeSession();
  expect((await failure(session.account.get())).status).toBe(401);
});

it('has methods for rules and paths', async () => {
  const waymark = client();
  const { id } = await waymark.redirects.create({ fromDomain: 'rules.localhost', toDomain });
  const { rule } = await waymark.rules.create(id, {
    name: 'Germany',
    type: 'force',
    status: 'active',
    conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
    action: { type: 'redirect', url: 'https://de.example' },
  });
  expect((await waymark.rules.list(id)).map((one) => one.id)).toEqual([rule.id]);
  expect(await waymark.rules.test(id, { userAttributes: { country: 'DE' } })).toMatchObject({
    result: { ruleId: rule.id },
  });
  await waymark.rules.setStatus(rule.id, 'inactive');
  await waymark.rules.delete(rule.id);
  await waymark.paths.replace(id, { entries: [{ source: '/a', destination: '/b' }] });
  expect(await waymark.paths.list(id).toArray()).toMatchObject([{ source: '/a', destination: '/b' }]);
});
