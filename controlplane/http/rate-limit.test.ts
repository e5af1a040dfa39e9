import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PLANS } from '../areas/plans/default-plans.js';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { type ApiAnswer, type CallOptions, startApi, type TestApi } from './api.fixture.js';

/** Multiplier of the plan `free`, whose limit is 300. */
const SIXTY_A_MINUTE = 0.2;
const ONE_A_MINUTE = 1 / 300;
/** A whole minute close to now: the embedded database sets its timers by `Date`, and they fail when that goes back by weeks. */
const START_MS = Math.ceil(Date.now() / 60_000) * 60_000;

let test: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: START_MS });
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

async function start(
  multiplier = SIXTY_A_MINUTE,
  trustedProxies: readonly string[] = [],
  clientIpHeader = 'x-forwarded-for',
): Promise<void> {
  api = await startApi({
    database: test.database,
    app: { rateLimit: { defaultPlan: PLANS.free, multiplier }, trustedProxies, clientIpHeader },
  });
}

const limitsOf = ({ headers }: ApiAnswer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));
const ask = (options: CallOptions = {}, url = '/auth/user') => api.call('GET', url, options);
async function askTimes(count: number, options: CallOptions = {}): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await ask(options));
  return answers;
}

describe('the rate limit', () => {
  it('counts down to 0, then refuses until its window of 60 s is over', async () => {
    await start();
    const { token } = await api.createUser();
    const resetSeconds = START_MS / 1000 + 60;
    const answers = await askTimes(60, { token });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(limitsOf)).toEqual(answers.map((_answer, index) => [60, 59 - index, resetSeconds]));

    vi.advanceTimersByTime(20_500);
    const refused = await ask({ token });
    expect(refused.status).toBe(429);
    expect(limitsOf(refused)).toEqual([60, 0, resetSeconds]);
    expect(refused.headers['retry-after']).toBe('40');
    expect(refused.json.error).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'The limit of 60 requests a minute is used up. Retry in 40 s.',
    });

    vi.advanceTimersByTime(39_500);
    const next = await ask({ token });
    expect(next.status).toBe(200);
    expect(limitsOf(next)).toEqual([60, 59, resetSeconds + 60]);
    expect(next.headers['retry-after']).toBeUndefined();
  });

  it('ends after 60 s though the clock is set back, and says when by the new one', async () => {
    await start(ONE_A_MINUTE);
    const { token } = await api.createUser();
    expect((await ask({ token })).status).toBe(200);
    const newMs = START_MS - 3_600_000;
    vi.setSystemTime(newMs);
    const refused = await ask({ token });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    expect(limitsOf(refused)).toEqual([1, 0, newMs / 1000 + 60]);
    vi.advanceTimersByTime(60_000);
    expect((await ask({ token })).status).toBe(200);
  });

  it.each([
    ['free', 1, 300],
    ['pro', 1, 1200],
    ['business', 1, 6000],
    ['free', 10, 3000],
    ['pro', 0.5, 600],
    ['free', 0.001, 1],
  ] as const)('of the plan %s, multiplied by %d, is %d', async (plan, multiplier, limit) => {
    await start(multiplier);
    const { token } = await api.createUser({ plan });
    expect(limitsOf(await ask({ token }))[0]).toBe(limit);
  });

  it('is of the user, whatever token and address the requests come with', async () => {
    await start();
    const { id, token } = await api.createUser();
    const second = await api.createToken(id);
    const remaining = [
      limitsOf(await ask({ token, from: '192.0.2.1' }))[1],
      limitsOf(await ask({ token: second, from: '192.0.2.2' }))[1],
      limitsOf(await ask({ token: (await api.createUser()).token, from: '192.0.2.1' }))[1],
    ];
    expect(remaining).toEqual([59, 58, 59]);
  });

  it('is of the address where no user is known: without a token, with a wrong one, on unknown paths', async () => {
    await start();
    const from = '192.0.2.7';
    const wrong = `wm_${'x'.repeat(43)}`;
    const answers = [
      await ask({ from }),
      await ask({ from, token: wrong }),
      await ask({ from, token: 'wrong' }),
      await ask({ from }, '/nothing'),
      await ask({ from }, '/%zz'),
      await api.call('POST', '/auth/login', { from, body: {} }),
      await ask({ from: '192.0.2.8' }),
    ];
    expect(answers.map((answer) => limitsOf(answer)[1])).toEqual([59, 58, 57, 56, 55, 54, 59]);
  });

  it('counts all addresses of an IPv6 /64 network together', async () => {
    await start();
    const remaining: (number | undefined)[] = [];
    for (const from of ['2001:db8:0:7::1', '2001:db8:0:7:ffff::2', '2001:db8:0:8::1', '::ffff:192.0.2.9']) {
      remaining.push(limitsOf(await ask({ from }))[1]);
    }
    remaining.push(limitsOf(await ask({ from: '192.0.2.9' }))[1]);
    expect(remaining).toEqual([59, 58, 59, 59, 58]);
  });

  it('refuses further attempts to log in from one address', async () => {
    await start(0.01);
    const attempt = () => api.call('POST', '/auth/login', { body: { email: 1 } });
    for (let count = 0; count < 3; count += 1) expect((await attempt()).status).toBe(422);
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(refused.json.error.code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('counts concurrent requests one by one', async () => {
    await start();
    const { token } = await api.createUser();
    const answers = await Promise.all(Array.from({ length: 70 }, () => ask({ token })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it.each([
    ['GET', '/auth/session/refresh', 404],
    ['POST', '/auth/_log?provider=x', 404],
    ['HEAD', '/auth', 404],
    ['GET', '/auth/login', 405],
  ])('does not count unknown paths under /auth: %s %s', async (method, url, status) => {
    await start(1 / 300);
    expect((await ask()).status).toBe(401);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const body = method === 'POST' ? { body: { event: 'x' } } : {};
      expect((await api.call(method, url, body)).status).toBe(status);
    }
    expect((await api.call('POST', '/auth/login', { body: {} })).status).toBe(429);
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/js/scalar.js'])(
    'is not used up by %s, which says it all the same',
    async (url) => {
      await start(ONE_A_MINUTE);
      expect((await ask()).status).toBe(401);
      const answer = await ask({}, url);
      expect(answer.status).toBe(200);
      expect(limitsOf(answer).slice(0, 2)).toEqual([1, 0]);
      expect((await ask()).status).toBe(429);
    },
  );
});

describe('a forwarded address', () => {
  it('does not help anyone to a fresh limit', async () => {
    await start();
    const remaining: (number | undefined)[] = [];
    for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3, 198.51.100.4']) {
      const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };
      remaining.push(limitsOf(await ask({ headers }))[1]);
    }
    expect(remaining).toEqual([59, 58, 57]);
  });

  it('is accepted from a trusted proxy: the last entry that is not a trusted proxy', async () => {
    await start(SIXTY_A_MINUTE, ['10.0.0.0/8']);
    const remainingOf = async (forwarded: string, from = '10.1.2.3') =>
      limitsOf(await ask({ from, headers: { 'x-forwarded-for': forwarded } }))[1];
    expect(await remainingOf('198.51.100.1')).toBe(59);
    expect(await remainingOf('198.51.100.1')).toBe(58);
    expect(await remainingOf('198.51.100.2')).toBe(59);
    // The client itself sent the entries before it.
    expect(await remainingOf('203.0.113.9, 198.51.100.1, 10.9.9.9')).toBe(57);
    expect(await remainingOf('198.51.100.1', '192.0.2.1')).toBe(59);
  });

  it('is the first one where all addresses are those of proxies', async () => {
    await start(SIXTY_A_MINUTE, ['0.0.0.0/0', '::/0']);
    const remainingOf = async (forwarded: string, from: string) =>
      limitsOf(await ask({ from, headers: { 'x-forwarded-for': forwarded } }))[1];
    expect(await remainingOf('203.0.113.9, 198.51.100.1', '10.1.2.3')).toBe(59);
    expect(await remainingOf('203.0.113.9, 2001:db8::1', '200.1.2.3')).toBe(58);
  });

  it('is that of CLIENT_IP_HEADER alone where another header is named, from a trusted proxy', async () => {
    await start(SIXTY_A_MINUTE, ['10.0.0.0/8'], 'cf-connecting-ip');
    const remainingOf = async (address: string, forwarded: string, from = '10.1.2.3') => {
      const headers = { 'cf-connecting-ip': address, 'x-forwarded-for': forwarded };
      return limitsOf(await ask({ from, headers }))[1];
    };
    expect(await remainingOf('198.51.100.1', '203.0.113.1')).toBe(59);
    expect(await remainingOf('198.51.100.1', '203.0.113.2')).toBe(58);
    expect(await remainingOf('198.51.100.2', '203.0.113.1')).toBe(59);
    expect(await remainingOf('198.51.100.3', '198.51.100.3', '192.0.2.1')).toBe(59);
    expect(await remainingOf('198.51.100.4', '198.51.100.4', '192.0.2.1')).toBe(58);
  });

  it('counts also where the URL cannot be read', async () => {
    await start(SIXTY_A_MINUTE, ['10.0.0.0/8']);
    const remainingOf = async (url: string) =>
      limitsOf(await ask({ from: '10.1.2.3', headers: { 'x-forwarded-for': '198.51.100.1' } }, url))[1];
    expect(await remainingOf('/auth/user')).toBe(59);
    expect(await remainingOf('/auth/%')).toBe(58);
  });

  it('is the same one with another port, and the proxy’s own where it is no address', async () => {
    await start(SIXTY_A_MINUTE, ['10.0.0.0/8']);
    const remainingOf = async (forwarded: string) =>
      limitsOf(await ask({ from: '10.1.2.3', headers: { 'x-forwarded-for': forwarded } }))[1];
    expect(await remainingOf('198.51.100.1:1111')).toBe(59);
    expect(await remainingOf('198.51.100.1:2222')).toBe(58);
    expect(await remainingOf('unknown')).toBe(59);
    expect(await remainingOf('_other')).toBe(58);
  });
});
