import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { startApi, type TestApi } from './api.fixture.js';
import { keepAnswer } from './idempotency.js';

let runs = 0;
let failures = 0;
let holding: Promise<void> = Promise.resolve();

const RunSchema = Type.Object({ run: Type.Integer() });

const area: FastifyPluginAsyncTypebox = async (app) => {
  const config = { public: true } as const;
  const schema = { body: Type.Object({ text: Type.Optional(Type.String()) }), response: { 201: RunSchema } };
  app.post('/runs', { config, schema }, async (_request, reply) => {
    runs += 1;
    const run = runs;
    await holding;
    return reply.code(201).header('ETag', `"${run}"`).send({ run });
  });
  app.post('/other-runs', { config, schema }, async (_request, reply) => {
    runs += 1;
    return reply.code(201).send({ run: runs });
  });
  app.put('/runs', { config, schema: { response: { 200: RunSchema } } }, async () => {
    runs += 1;
    return { run: runs };
  });
  app.post('/refusals', { config, schema: { response: { 200: RunSchema } } }, async () => {
    runs += 1;
    throw new AppError('PLAN_LIMIT_REACHED', { message: `Refused in run ${runs}.` });
  });
  app.post('/parts', { config, schema: { response: { 200: RunSchema } } }, async (request, reply) => {
    runs += 1;
    const run = runs;
    const keep = keepAnswer(request, reply, 200, (made: { readonly run: number }) => made);
    const storing = api.database.transaction(async (tx) => {
      await keep?.(tx, { run });
      throw new Error('a later part of the transaction fails');
    });
    await storing.catch(() => undefined);
    return { run: -run };
  });
  app.post('/failures', { config, schema: { response: { 200: RunSchema } } }, async () => {
    failures += 1;
    if (failures === 1) throw new Error('the first time it fails');
    return { run: failures };
  });
};

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ areas: () => [area] });
});
afterAll(() => api.close());

let keyCount = 0;
const newKey = () => `key-${++keyCount}`;
const post = (
  key: string,
  { url = '/runs', body = {}, token }: { url?: string; body?: object; token?: string } = {},
) => api.call('POST', url, { body, headers: { 'idempotency-key': key }, ...(token && { token }) });

describe('Idempotency-Key', () => {
  it('makes the same request return the first answer, and says that it did', async () => {
    const key = newKey();
    const first = await post(key, { body: { text: 'a' } });
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const again = await post(key, { body: { text: ' a ' } });
    expect(again.status).toBe(201);
    expect(again.body).toBe(first.body);
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'content-type': first.headers['content-type'],
      etag: first.headers.etag,
    });
    expect(first.headers.etag).toBeDefined();
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  it('is refused with another body, and runs nothing', async () => {
    const key = newKey();
    await post(key, { body: { text: 'a' } });
    const before = runs;
    const { status, json } = await post(key, { body: { text: 'b' } });
    expect(status).toBe(422);
    expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'Idempotency-Key' });
    expect(runs).toBe(before);
  });

  it('is answered with 409 while its first request is under way, which is not disturbed', async () => {
    const key = newKey();
    let letGo = () => {};
    holding = new Promise((resolve) => {
      letGo = resolve;
    });
    const before = runs;
    const first = post(key);
    await expect.poll(() => runs).toBe(before + 1);
    const meanwhile = await post(key);
    letGo();
    expect(meanwhile.status).toBe(409);
    expect(meanwhile.json.error.code).toBe('IDEMPOTENCY_CONFLICT');
    expect((await first).json).toEqual({ run: before + 1 });
    expect((await post(key)).json).toEqual({ run: before + 1 });
  });

  it('runs one of many requests that come at once', async () => {
    const key = newKey();
    const before = runs;
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(key)));
    expect(runs).toBe(before + 1);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  it('is of one user and one endpoint', async () => {
    const key = newKey();
    const [one, other] = [await api.createUser(), await api.createUser()];
    const answers = [
      await post(key),
      await post(key, { token: one.token }),
      await post(key, { token: other.token }),
      await post(key, { url: '/other-runs' }),
      await post(key, { url: '/runs?a=b' }),
    ];
    expect(new Set(answers.map(({ json }) => json.run)).size).toBe(5);
  });

  it('keeps a refusal of the endpoint', async () => {
    const key = newKey();
    const first = await post(key, { url: '/refusals' });
    expect(first.status).toBe(403);
    expect((await post(key, { url: '/refusals' })).body).toBe(first.body);
  });

  it('keeps the answer after the transaction that stored another one has failed', async () => {
    const key = newKey();
    const first = await post(key, { url: '/parts' });
    const again = await post(key, { url: '/parts' });
    expect(first).toMatchObject({ status: 200, json: { run: -runs } });
    expect(again).toMatchObject({
      status: 200,
      json: first.json,
      headers: { 'idempotent-replayed': 'true' },
    });
  });

  it('lets a request that failed be tried again', async () => {
    const key = newKey();
    expect((await post(key, { url: '/failures' })).status).toBe(500);
    expect((await post(key, { url: '/failures' })).json).toEqual({ run: 2 });
    expect((await post(key, { url: '/failures' })).json).toEqual({ run: 2 });
  });

  it('lets a request that was not valid be corrected', async () => {
    const key = newKey();
    expect((await post(key, { body: { text: 1 } })).status).toBe(422);
    expect((await post(key, { body: { text: 'a' } })).status).toBe(201);
  });

  it('keeps a token that is shown once for the one who made it', async () => {
    const key = newKey();
    const { token } = await api.createUser();
    const first = await post(key, { url: '/auth/tokens', body: { name: 'a' }, token });
    expect((await post(key, { url: '/auth/tokens', body: { name: 'a' }, token })).json).toEqual(first.json);
    const { json } = await api.call('GET', '/auth/tokens', { token });
    expect(json.tokens).toHaveLength(2);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['with a blank', 'a b'],
    ['with a letter that is not ASCII', 'é'],
  ])('is refused when it is %s', async (_what, key) => {
    const { status, json } = await post(key);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'Idempotency-Key' });
  });

  it('means nothing on other methods', async () => {
    const headers = { 'idempotency-key': newKey() };
    const [first, second] = [
      await api.call('PUT', '/runs', { headers }),
      await api.call('PUT', '/runs', { headers }),
    ];
    expect(second?.json.run).toBe(first?.json.run + 1);
  });
});

describe('an answer that cannot be kept', () => {
  it('is given all the same', async () => {
    const forgetful = await startApi({
      database: api.database,
      areas: () => [area],
      app: {
        idempotency: {
          reserve: async () => ({ outcome: 'reserved' }),
          completeIn: () => Promise.reject(new Error('the database is gone')),
          complete: () => Promise.reject(new Error('the database is gone')),
          renew: () => Promise.reject(new Error('the database is gone')),
          release: () => Promise.reject(new Error('the database is gone')),
        },
      },
    });
    const headers = { 'idempotency-key': newKey() };
    expect((await forgetful.call('POST', '/runs', { body: {}, headers })).status).toBe(201);
    await forgetful.close();
  });
});
