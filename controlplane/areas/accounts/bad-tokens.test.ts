import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startApi, type TestApi } from '../../http/api.fixture.js';
import type { Database } from '../../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { newTokenSecret } from './access-token.js';

let test: TestDatabase;
let api: TestApi;
/** Look-ups of tokens. */
let lookups = 0;

beforeAll(async () => {
  test = await openTestDatabase();
  const watched: Database = {
    ...test.database,
    query(sql, params) {
      if (sql.includes('tokens.token_hash')) lookups += 1;
      return test.database.query(sql, params);
    },
  };
  api = await startApi({ database: watched });
});
afterAll(async () => {
  await api.close();
  await test.close();
});

const ask = (token: string, from: string) => api.call('GET', '/auth/user', { token, from });

it('an unknown token is looked up once, and remembered for some seconds', async () => {
  const token = newTokenSecret();
  lookups = 0;
  for (let time = 0; time < 3; time += 1) expect((await ask(token, '192.0.2.1')).status).toBe(401);
  expect(lookups).toBe(1);
});

it('after a hundred unknown tokens of an address few further ones are looked up, and valid tokens still work', async () => {
  const from = '192.0.2.2';
  const { token } = await api.createUser();
  expect((await ask(token, from)).status).toBe(200);
  for (let time = 0; time < 100; time += 1) expect((await ask(newTokenSecret(), from)).status).toBe(401);
  lookups = 0;
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(newTokenSecret(), from)));
  const seconds = Math.ceil((performance.now() - startedMs) / 1000) + 1;
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(60 - 10 * seconds);
  expect(refused[0]?.json.error.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
  expect(lookups).toBeLessThanOrEqual(10 * seconds);
  const { token: unseen } = await api.createUser();
  await vi.waitFor(async () => expect((await ask(unseen, from)).status).toBe(200), {
    timeout: 60_000,
    interval: 200,
  });
  expect((await ask(token, from)).status).toBe(200);
  expect((await ask(newTokenSecret(), '192.0.2.3')).status).toBe(401);
  expect((await api.call('GET', '/healthz', { token: newTokenSecret(), from })).status).toBe(200);
});
