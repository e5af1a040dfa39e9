import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANS } from '../accounts/plans.js';
import { type ApiAnswer, startApi, type TestApi } from '../api.fixture.js';
import { openTestDatabase, type TestDatabase } from '../database/test-database.fixture.js';
import { exampleArea } from '../example-area.fixture.js';

let test: TestDatabase;
const apis = new Map<string, TestApi>();

beforeAll(async () => {
  test = await openTestDatabase();
  for (const corsOrigins of [[], ['https://app.example', 'https://other.example'], ['*']]) {
    const api = await startApi({ database: test.database, areas: () => [exampleArea], app: { corsOrigins } });
    apis.set(corsOrigins.join(), api);
  }
});
afterAll(async () => {
  for (const api of apis.values()) await api.close();
  await test.close();
});

const allowedOrigin = ({ headers }: ApiAnswer) => headers['access-control-allow-origin'];

describe('a browser page of another origin', () => {
  it.each([
    ['', 'https://app.example', undefined],
    ['https://app.example,https://other.example', 'https://app.example', 'https://app.example'],
    ['https://app.example,https://other.example', 'https://other.example', 'https://other.example'],
    ['https://app.example,https://other.example', 'https://app.example.evil.example', undefined],
    ['https://app.example,https://other.example', 'null', undefined],
    ['*', 'https://anywhere.example', '*'],
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
    ];
    expect(answers.map(allowedOrigin)).toEqual(answers.map(() => allowed));
    for (const { headers } of answers) expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('may send what the API takes, and see what the API says', async () => {
    const api = apis.get('*')!;
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'DELETE' };
    const preflight = await api.call('OPTIONS', '/auth/tokens/a', { headers });
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST, PUT, DELETE');
    expect(preflight.headers['access-control-allow-headers']).toMatch(
      /Authorization.*Content-Type.*Idempotency-Key/,
    );
    const { headers: answered } = await api.call('GET', '/auth/user', { headers });
    for (const name of [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Request-Id',
      'Retry-After',
      'WWW-Authenticate',
    ]) {
      expect(answered['access-control-expose-headers']).toContain(name);
    }
  });

  it('learns that it must wait', async () => {
    const limited = await startApi({
      database: test.database,
      app: { corsOrigins: ['*'], rateLimit: { defaultPlan: PLANS.free, multiplier: 1 / 60 } },
    });
    const headers = { origin: 'https://app.example' };
    await limited.call('GET', '/nothing', { headers });
    const refused = await limited.call('GET', '/nothing', { headers });
    expect(refused.status).toBe(429);
    expect(allowedOrigin(refused)).toBe('*');
    await limited.close();
  });

  it('is the only one that asks with OPTIONS; without what a browser sends, the answer is as empty', async () => {
    const { status, body } = await apis.get('')!.call('OPTIONS', '/auth/user');
    expect(status).toBe(204);
    expect(body).toBe('');
  });
});
