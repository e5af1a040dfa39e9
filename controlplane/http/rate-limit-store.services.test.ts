import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { PLANS } from '../areas/plans/default-plans.js';
import type { Plan } from '../plan.js';
import { newId } from '../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { type ApiAnswer, type CallOptions, startApi, type TestApi } from './api.fixture.js';
import { type RateLimitStore, type RateLimitStores, WINDOW_SECONDS } from './rate-limit-store.js';
import { openSharedRateLimitStores } from './shared-rate-limit-store.js';

/** Multiplier of the plan `free`, whose limit is 300. */
const SIXTY_A_MINUTE = 0.2;
const logger = pino({ level: 'silent' });
let test: TestDatabase;
let redis: RedisServer;
let connections: readonly [RateLimitStores, RateLimitStores];
let stores: readonly [RateLimitStore, RateLimitStore];
let apis: readonly [TestApi, TestApi];
let plan: Plan;

beforeAll(async () => {
  [test, redis] = await Promise.all([openTestDatabase(), startRedisServer()]);
});
afterAll(async () => {
  await redis.remove();
  await test.close();
});
beforeEach(async () => {
  plan = PLANS.free;
  connections = [openSharedRateLimitStores(redis.url, logger), openSharedRateLimitStores(redis.url, logger)];
  stores = [connections[0].open('requests', WINDOW_SECONDS), connections[1].open('requests', WINDOW_SECONDS)];
  apis = [await startControlplane(stores[0]), await startControlplane(stores[1])];
  await untilShared();
});
afterEach(async () => {
  for (const api of apis) await api.close();
  for (const connection of connections) connection.close();
});

function startControlplane(store: RateLimitStore): Promise<TestApi> {
  return startApi({
    database: test.database,
    planOf: () => async () => plan,
    app: { rateLimit: { defaultPlan: PLANS.free, multiplier: SIXTY_A_MINUTE, store } },
  });
}

/** Resolves when both stores use Redis, which is when each sees the other's count. */
async function untilShared(): Promise<void> {
  await vi.waitFor(
    async () => {
      const key = newId();
      await stores[0].consume(key);
      expect((await stores[1].consume(key)).count).toBe(2);
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** Sends requests alternately to the two control planes. */
async function askInTurn(count: number, options: CallOptions): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(await apis[index % 2]!.call('GET', '/auth/user', options));
  }
  return answers;
}

const remainingOf = ({ headers }: ApiAnswer) => Number(headers['x-ratelimit-remaining']);
const statusesOf = (answers: readonly ApiAnswer[]) => [...new Set(answers.map(({ status }) => status))];

describe('the rate limit of two control planes with one Redis', () => {
  it('is one, counted request by request, and says when it ends', async () => {
    const { token } = await apis[0].createUser();
    const answers = await askInTurn(60, { token });
    expect(statusesOf(answers)).toEqual([200]);
    expect(answers.map(remainingOf)).toEqual(answers.map((_answer, index) => 59 - index));
    for (const refused of await askInTurn(2, { token })) {
      expect(refused.status).toBe(429);
      expect(refused.json.error.code).toBe('RATE_LIMIT_EXCEEDED');
      const retryAfterSeconds = Number(refused.headers['retry-after']);
      expect(retryAfterSeconds).toBeGreaterThan(0);
      expect(retryAfterSeconds).toBeLessThanOrEqual(60);
      const resetSeconds = Number(refused.headers['x-ratelimit-reset']);
      expect(resetSeconds).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000));
      expect(resetSeconds).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60);
    }
  });

  it('lets exactly as many concurrent requests through as it is', async () => {
    const { token } = await apis[0].createUser();
    const asked = Array.from({ length: 80 }, (_, index) =>
      apis[index % 2]!.call('GET', '/auth/user', { token }),
    );
    const passed = (await Promise.all(asked)).filter(({ status }) => status === 200);
    expect(passed.map(remainingOf).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, left) => left),
    );
  });

  it('follows the plan at once, with what was used before', async () => {
    const { token } = await apis[0].createUser();
    await askInTurn(60, { token });
    expect(statusesOf(await askInTurn(2, { token }))).toEqual([429]);
    plan = PLANS.pro;
    const answers = await askInTurn(2, { token });
    expect(statusesOf(answers)).toEqual([200]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['240', '240']);
    expect(answers.map(remainingOf)).toEqual([177, 176]);
    plan = PLANS.free;
    expect(statusesOf(await askInTurn(2, { token }))).toEqual([429]);
  });

  it('is not escaped by the headers of a request, nor by another address of the same network', async () => {
    const remaining: number[] = [];
    for (const [index, forged] of ['198.51.100.1', '198.51.100.2', '198.51.100.3, 198.51.100.4'].entries()) {
      const from = `2001:db8::${index + 1}`;
      const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };
      remaining.push(...(await askInTurn(2, { from, headers })).map(remainingOf));
    }
    expect(remaining).toEqual([59, 58, 57, 56, 55, 54]);
  });

  it('is not used up by probes, which say it all the same', async () => {
    const from = '2001:db8:0:1::1';
    await askInTurn(1, { from });
    const answers = [await apis[1].call('GET', '/healthz', { from }), ...(await askInTurn(1, { from }))];
    expect(answers.map(remainingOf)).toEqual([59, 58]);
  });
});

describe('stores of one Redis', () => {
  it('count the same key apart by their names, each in windows of its own length', async () => {
    const key = newId();
    const other = connections[1].open('others', 1_000);
    await stores[0].consume(key);
    const { count, msBeforeNext } = await other.consume(key);
    expect(count).toBe(1);
    expect(msBeforeNext).toBeGreaterThan(WINDOW_SECONDS * 1000);
  });

  it('end a window in time though the clock of Redis was set back meanwhile', async () => {
    const key = newId();
    await stores[0].consume(key);
    // A clock that was set back lengthens the remaining time of a key, because the key stores its end time.
    const client = new Redis(redis.url);
    const [name = ''] = await client.keys(`*${key}`);
    expect(await client.pexpire(name, 3_600_000)).toBe(1);
    const { count, msBeforeNext } = await stores[1].consume(key);
    expect([count, msBeforeNext]).toEqual([2, WINDOW_SECONDS * 1000]);
    const leftMs = await client.pttl(name);
    client.disconnect();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(WINDOW_SECONDS * 1000);
  });

  it('forget a key for all processes', async () => {
    const key = newId();
    await stores[0].consume(key);
    await stores[1].forget(key);
    expect(await stores[0].get(key)).toBeNull();
  });
});

describe('while Redis is away', () => {
  it('each control plane counts for itself, no request fails, and afterwards they share again', async () => {
    const { token } = await apis[0].createUser();
    await askInTurn(4, { token });
    await redis.kill();
    const answers = await askInTurn(120, { token });
    expect(statusesOf(answers)).toEqual([200]);
    expect(answers.slice(-2).map(remainingOf)).toEqual([0, 0]);
    expect(statusesOf(await askInTurn(2, { token }))).toEqual([429]);
    await redis.restart();
    await untilShared();
    expect((await askInTurn(3, { token })).map(remainingOf)).toEqual([59, 58, 57]);
  });

  it('the same holds for one that has fallen silent', async () => {
    const { token } = await apis[0].createUser();
    await askInTurn(4, { token });
    redis.pause();
    try {
      expect(statusesOf(await askInTurn(100, { token }))).toEqual([200]);
    } finally {
      redis.resume();
    }
    await untilShared();
    expect(statusesOf(await askInTurn(2, { token }))).toEqual([200]);
  });
});
