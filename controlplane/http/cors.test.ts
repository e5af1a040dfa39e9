import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANS } from '../areas/plans/default-plans.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { type ApiAnswer, startApi, type TestApi } from './api.fixture.js';
import { exampleArea } from './example-area.fixture.js';

let test: TestDatabase;
const apis = new Map<string, TestApi>();

beforeAll(async () => {
  test = await openTestDatabase();
  for (const corsOrigins of [
    [],
    ['https://app.example', 'https://other.example'],
    ['*'],
    ['*', 'https://app.example'],
  ]) {
    const api = await startApi({ database: test.database, areas: () => [exampleArea], app: { corsOrigins } });
    apis.set(corsOrigins.join(), api);
  }
});
afterAll(async () => {
  for (const api of apis.values()) await api.close();
  await test.close();
});

/** Multiplier of the plan `free`. */
const ONE_A_MINUTE = 1 / 300;
const SENT_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Requested-With',
];
const READ_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'WWW-Authenticate',
];

const listOf = ({ headers }: ApiAnswer, name: string) => String(headers[name]).split(/, ?/);
const allowedOrigin = ({ headers }: ApiAnswer) => headers['access-control-allow-origin'];

describe('a browser page of another origin', () => {
  it.each([
    ['', 'https://app.example', undefined],
    ['https://app.example,https://other.example', 'https://app.example', 'https://app.example'],
    ['https://app.example,https://other.example', 'https://other.example', 'https://other.example'],
    ['https://app.example,https://other.example', 'https://app.example.evil.example', undefined],
    ['https://app.example,https://other.example', 'null', undefined],
    ['*', 'https://anywhere.example', '*'],
    ['*', '*', '*'],
    ['*,https://app.example', 'https://anywhere.example', '*'],
    ['*,https://app.example', 'https://app.example', 'https://app.example'],
  ])('with CORS_ORIGINS "%s", of %s, may read answers: %s', async (configured, origin, allowed) => {
    const api = apis.get(configured)!;
    const preflight = await api.call('OPTIONS', '/auth/tokens', {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(preflight.status).toBe(204);
    const answers = [
      preflight,
      await api.call('GET', '/example/items', { headers: { origin } }),
      await api.call('GET', '/auth/user', { headers: { origin } }),
      await api.call('GET', '/nothing', { headers: { origin } }),
      await api.call('GET', '/example/crash', { headers: { origin } }),
      await api.call('GET', '/auth/%', { headers: { origin } }),
    ];
    expect(answers.map(allowedOrigin)).toEqual(answers.map(() => allowed));
    const credentials = allowed === undefined || allowed === '*' ? undefined : 'true';
    for (const { headers } of answers) {
      expect(headers['access-control-allow-credentials']).toBe(credentials);
      expect(headers.vary).toContain('Origin');
    }
  });

  it.each(['*', 'https://app.example,https://other.example'])(
    'may send what the API takes, and see what the API says: CORS_ORIGINS "%s"',
    async (configured) => {
      const api = apis.get(configured)!;
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'DELETE' };
      const preflight = await api.call('OPTIONS', '/auth/tokens/a', { headers });
      expect(preflight.headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      const allowed = listOf(preflight, 'access-control-allow-headers');
      expect(allowed).toEqual(expect.arrayContaining(SENT_HEADERS));
      const answers = [
        await api.call('GET', '/auth/user', { headers }),
        await api.call('GET', '/auth/%', { headers }),
      ];
      for (const answer of answers) {
        const exposed = listOf(answer, 'access-control-expose-headers');
        expect(exposed).toEqual(expect.arrayContaining(READ_HEADERS));
      }
    },
  );

  it('learns that it must wait', async () => {
    const limited = await startApi({
      database: test.database,
      app: { corsOrigins: ['*'], rateLimit: { defaultPlan: PLANS.free, multiplier: ONE_A_MINUTE } },
    });
    const headers = { origin: 'https://app.example' };
    await limited.call('GET', '/nothing', { headers });
    const refused = await limited.call('GET', '/nothing', { headers });
    expect(refused.status).toBe(429);
    expect(allowedOrigin(refused)).toBe('*');
    await limited.close();
  });

  it('may ask beforehand as often as it likes', async () => {
    const limited = await startApi({
      database: test.database,
      app: {
        corsOrigins: ['https://app.example'],
        rateLimit: { defaultPlan: PLANS.free, multiplier: ONE_A_MINUTE },
      },
    });
    const origin = 'https://app.example';
    const preflight = { origin, 'access-control-request-method': 'GET' };
    const ask = (headers: Record<string, string>) => limited.call('OPTIONS', '/auth/user', { headers });
    for (let count = 0; count < 5; count += 1) expect((await ask(preflight)).status).toBe(204);
    expect((await limited.call('GET', '/auth/user', { headers: { origin } })).status).toBe(401);
    const { status, headers } = await ask(preflight);
    expect([status, headers['x-ratelimit-remaining']]).toEqual([204, '0']);
    // A browser sends no token with it. A token that is sent anyway is not looked up, so the request does not count for
    // its user.
    const { token } = await limited.createUser({ plan: 'free' });
    for (let count = 0; count < 3; count += 1)
      await limited.call('OPTIONS', '/auth/user', { token, headers: preflight });
    expect((await limited.call('GET', '/auth/user', { token })).status).toBe(200);
    expect((await limited.call('GET', '/auth/user', { token })).status).toBe(429);
    await limited.close();
  });

  it('is the only one that asks with OPTIONS; without what a browser sends, the answer is as empty', async () => {
    const { status, body } = await apis.get('')!.call('OPTIONS', '/auth/user');
    expect(status).toBe(204);
    expect(body).toBe('');
  });
});
