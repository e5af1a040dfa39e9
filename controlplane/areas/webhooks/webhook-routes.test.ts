import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { startWebhooksApi, type WebhooksApi } from './webhooks-api.fixture.js';

let area: WebhooksApi;
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  area = await startWebhooksApi({ allowPrivate: false });
  user = await area.api.createUser();
  other = await area.api.createUser();
});
afterAll(() => area.close());

const call: WebhooksApi['api']['call'] = (...args) => area.api.call(...args);
const valid = { url: 'https://api.example.com/hooks', events: ['payment.failed', 'domain.verified'] };
const create = (token: string, body: object = valid) => call('POST', '/webhook-endpoints', { token, body });

describe('POST /webhook-endpoints', () => {
  test('answers 201 with the secret, which no other answer has', async () => {
    const { status, json } = await create(user.token, { ...valid, url: ` ${valid.url} ` });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(String),
      url: valid.url,
      events: valid.events,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      paused: false,
      disabledAt: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...endpoint } = json;
    const list = await call('GET', '/webhook-endpoints', { token: user.token });
    expect(list.json.endpoints[0]).toEqual(endpoint);
    expect(list.body).not.toContain('secret');
    expect(list.body).not.toContain(secret);
  });

  test('stores the secret only encrypted', async () => {
    const { json } = await create(user.token);
    const [row] = await area.api.database.query<{ secret: Uint8Array }>(
      'SELECT secret FROM webhook_endpoints WHERE id = $1',
      [json.id],
    );
    const stored = Buffer.from(row!.secret);
    expect(stored.includes(json.secret.slice(6))).toBe(false);
    expect(stored.includes(Buffer.from(json.secret.slice(6), 'base64'))).toBe(false);
  });

  test('names each event once, in one order', async () => {
    const events = ['domain.verified', 'subscription.confirmed', 'domain.verified'];
    const { json } = await create(user.token, { ...valid, events });
    expect(json.events).toEqual(['subscription.confirmed', 'domain.verified']);
  });

  test.each([
    ['no URL', { events: valid.events }, 'url'],
    ['a number for the URL', { ...valid, url: 7 }, 'url'],
    ['http', { ...valid, url: 'http://api.example.com' }, 'url'],
    ['a private address', { ...valid, url: 'https://10.0.0.1/' }, 'url'],
    ['a very long URL', { ...valid, url: `https://api.example.com/${'x'.repeat(2048)}` }, 'url'],
    ['no events', { url: valid.url }, 'events'],
    ['an empty list of events', { ...valid, events: [] }, 'events'],
    ['an event that there is not', { ...valid, events: ['domain.verified', 'hit'] }, 'events.1'],
    ['a word for the events', { ...valid, events: 'domain.verified' }, 'events'],
    ['another member', { ...valid, secret: 'whsec_mine' }, 'secret'],
  ])('refuses %s with 422, naming the field', async (_what, body, field) => {
    expect(await create(user.token, body)).toMatchObject({
      status: 422,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    });
  });

  test('takes ten endpoints of a user and not one more, also at the same moment', async () => {
    const { token } = await area.api.createUser();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(token)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused.map(({ json }) => json.error.code)).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
    expect((await call('GET', '/webhook-endpoints', { token })).json.endpoints).toHaveLength(10);
  });
});

test('GET /webhook-endpoints has the newest first, and nobody else’s', async () => {
  const { token } = await area.api.createUser();
  expect((await call('GET', '/webhook-endpoints', { token })).json).toEqual({ endpoints: [] });
  const ids = [(await create(token)).json.id, (await create(token)).json.id];
  const { json } = await call('GET', '/webhook-endpoints', { token });
  expect(json.endpoints.map(({ id }: { id: string }) => id)).toEqual(ids.reverse());
});

test('DELETE /webhook-endpoints/:id takes the endpoint and its log away', async () => {
  const { json: endpoint } = await create(user.token);
  await area.emit(user.id, 'payment.failed');
  const path = `/webhook-endpoints/${endpoint.id}`;
  const { status, json } = await call('DELETE', path, { token: user.token });
  expect(status).toBe(200);
  expect(json).toEqual({ message: expect.stringContaining(valid.url) });
  expect((await call('DELETE', path, { token: user.token })).status).toBe(404);
  expect((await call('GET', `${path}/deliveries`, { token: user.token })).status).toBe(404);
});

describe('GET /webhook-endpoints/:id/deliveries', () => {
  test('has pages, newest first', async () => {
    const owner = await area.api.createUser();
    const { id } = (await create(owner.token)).json;
    const path = `/webhook-endpoints/${id}/deliveries`;
    const page = async (query: string) => (await call('GET', `${path}${query}`, { token: owner.token })).json;
    expect(await page('')).toEqual({ data: [], pagination: { page: 1, limit: 20, total: 0, totalPages: 0 } });

    for (let count = 0; count < 3; count += 1) await area.emit(owner.id, 'payment.failed');
    const { data } = await page('');
    expect(data).toHaveLength(3);
    expect(data[0]).toEqual({
      id: expect.any(String),
      endpointId: id,
      eventId: expect.stringMatching(/^evt_/),
      eventType: 'payment.failed',
      status: 'pending',
      responseCode: null,
      error: null,
      attempts: [],
      nextAttemptAt: expect.any(String),
      createdAt: expect.any(String),
    });
    const times = data.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    const second = await page('?page=2&limit=2');
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    expect(second.data).toEqual([data[2]]);
    expect((await page('?page=1000000&limit=100')).data).toEqual([]);
  });

  test.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
  ])('answers 400 to %s', async (query, field) => {
    const { id } = (await create(other.token)).json;
    const answer = await call('GET', `/webhook-endpoints/${id}/deliveries?${query}`, { token: other.token });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'INVALID_REQUEST', field } } });
    await call('DELETE', `/webhook-endpoints/${id}`, { token: other.token });
  });
});

describe('PATCH /webhook-endpoints/:id', () => {
  const patch = (id: string, body: object) =>
    call('PATCH', `/webhook-endpoints/${id}`, { token: user.token, body });

  test('changes what it names, and has a disabled endpoint be sent to again', async () => {
    const { id, url } = (await create(user.token)).json;
    await area.api.database.query('UPDATE webhook_endpoints SET disabled_at = now() WHERE id = $1', [id]);
    const events = ['domain.unverified', 'domain.proof_missing'];
    const { status, json } = await patch(id, { events });
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, url, events: events.toReversed(), disabledAt: null });
    expect((await patch(id, { url: `${url}/v2` })).json).toMatchObject({
      url: `${url}/v2`,
      events: json.events,
    });
  });

  test.each([
    ['an unknown event', { events: ['domain.sold'] }, 'events.0'],
    ['no events', { events: [] }, 'events'],
    ['a URL that is none', { url: 'hooks' }, 'url'],
    ['its secret', { secret: 'whsec_x' }, 'secret'],
  ])('refuses %s', async (_what, body, field) => {
    const { id } = (await create(user.token)).json;
    const { status, json } = await patch(id, body);
    expect([status, json.error.field]).toEqual([422, field]);
  });
});

describe('who may', () => {
  const requests = (endpointId: string, deliveryId: string) =>
    [
      ['DELETE', `/webhook-endpoints/${endpointId}`],
      ['PATCH', `/webhook-endpoints/${endpointId}`, {}],
      ['POST', `/webhook-endpoints/${endpointId}/rotate-secret`],
      ['POST', `/webhook-endpoints/${endpointId}/test`],
      ['GET', `/webhook-endpoints/${endpointId}/deliveries`],
      ['POST', `/webhook-deliveries/${deliveryId}/resend`],
    ] as const;

  test('somebody else may not see, change or send anything again: 403', async () => {
    const { id } = (await create(user.token)).json;
    await area.emit(user.id, 'domain.verified');
    const [delivery] = await area.deliveries(user.token, id);
    for (const [method, path, body] of requests(id, delivery.id)) {
      expect(await call(method, path, { token: other.token, ...(body && { body }) })).toMatchObject({
        status: 403,
        json: { error: { code: 'FORBIDDEN' } },
      });
    }
    expect(await area.deliveries(user.token, id)).toEqual([delivery]);
  });

  test('what does not exist is 404', async () => {
    for (const [method, path, body] of requests('unknown', 'unknown')) {
      expect(await call(method, path, { token: user.token, ...(body && { body }) })).toMatchObject({
        status: 404,
        json: { error: { code: 'NOT_FOUND' } },
      });
    }
  });

  test.each([
    ['POST', '/webhook-endpoints', 'billing:write'],
    ['GET', '/webhook-endpoints', 'billing:read'],
    ['DELETE', '/webhook-endpoints/x', 'billing:write'],
    ['PATCH', '/webhook-endpoints/x', 'billing:write'],
    ['POST', '/webhook-endpoints/x/rotate-secret', 'billing:write'],
    ['POST', '/webhook-endpoints/x/test', 'billing:write'],
    ['GET', '/webhook-endpoints/x/deliveries', 'billing:read'],
    ['POST', '/webhook-deliveries/x/resend', 'billing:write'],
  ] as const)('%s %s needs the scope %s', async (method, path, scope) => {
    const token = await area.api.createToken(user.id, { scopes: ['redirects:write', 'tokens:write'] });
    const body = method === 'POST' ? { body: valid } : {};
    const answer = await call(method, path, { token, ...body });
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'INSUFFICIENT_SCOPE' } } });
    expect(answer.json.error.message).toContain(scope);
    expect((await call(method, path, body)).status).toBe(401);
  });
});
