import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startApi, type TestApi } from '../../http/api.fixture.js';
import { createLocalRateLimitStores } from '../../http/rate-limit-store.js';
import { createLoginLimit, type LoginLimit } from './login-limit.js';

const WINDOW_MS = 300_000;
const DAY_MS = 24 * 3600 * 1000;
const HOME = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';

beforeEach(() => {
  // The embedded database computes its timers from `Date`. They fail when `Date` goes back by weeks.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Advances the clock to `ms` after the start of the test. */
function passUntil(ms: number): void {
  vi.advanceTimersByTime(ms - performance.now());
}

describe('logging in to one account', () => {
  const PASSWORD = 'correct horse battery';
  let api: TestApi;
  let count = 0;
  let email: string;

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    email = `limited-${++count}@example.com`;
    await api.call('POST', '/auth/signup', { body: { email, password: PASSWORD } });
  });

  const logIn = (password: string, from = HOME, headers: Record<string, string> = {}) =>
    api.call('POST', '/auth/login', { body: { email, password }, from, headers });
  async function fail(times: number, from = HOME): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: times }, () => logIn('wrong password', from)));
    return answers.map(({ status }) => status);
  }

  it('is refused after ten wrong passwords from an address, with the right one too, for five minutes', async () => {
    expect(new Set(await fail(10))).toEqual(new Set([401]));
    passUntil(60_500);
    const refused = await logIn(PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('240');
    expect(refused.json.error).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'There were too many attempts to log in to this account. Retry in 240 s.',
    });
    expect((await logIn(PASSWORD, ELSEWHERE)).status).toBe(200);
    passUntil(WINDOW_MS);
    expect((await logIn(PASSWORD)).status).toBe(200);
  });

  it('tries no more than ten passwords that come at the same moment', async () => {
    const statuses = await fail(14);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  });

  it('counts from nothing again after the right password', async () => {
    for (let round = 0; round < 2; round += 1) {
      await fail(9);
      expect((await logIn(PASSWORD)).status).toBe(200);
    }
  });

  it('is limited alike however the address is written', async () => {
    await fail(10);
    email = ` ${email.toUpperCase()}`;
    expect((await logIn(PASSWORD)).status).toBe(429);
  });

  it('is limited alike where there is no such account', async () => {
    email = `nobody-${count}@example.com`;
    expect(await fail(11)).toContain(429);
  });

  it('may be tried again with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': `login-${count}` };
    await fail(10);
    expect((await logIn(PASSWORD, HOME, key)).status).toBe(429);
    passUntil(WINDOW_MS);
    expect((await logIn(PASSWORD, HOME, key)).status).toBe(200);
  });
});

describe('the attempts of many callers', () => {
  const EMAIL = 'ann@example.com';
  let limit: LoginLimit;

  beforeEach(() => {
    limit = createLoginLimit(createLocalRateLimitStores());
  });

  const isRefused = (caller: string, email = EMAIL) =>
    limit.attempt(email, caller).then(
      () => false,
      () => true,
    );
  async function attack(callers: number): Promise<void> {
    for (let caller = 0; caller < callers; caller += 1) {
      for (let attempt = 0; attempt < 10; attempt += 1) await isRefused(`caller ${caller}`);
    }
  }

  it('are fifty together, which leaves other accounts alone and ends after five minutes', async () => {
    await attack(4);
    expect(await isRefused('new caller')).toBe(false);
    await attack(5);
    expect(await isRefused('another new caller')).toBe(true);
    expect(await isRefused('another new caller', 'bob@example.com')).toBe(false);
    passUntil(WINDOW_MS);
    expect(await isRefused('another new caller')).toBe(false);
  });

  it('do not keep out who has logged in from the same place within 30 days', async () => {
    await limit.succeed(EMAIL, 'home');
    passUntil(30 * DAY_MS - 1);
    await attack(20);
    expect(await isRefused('home')).toBe(false);
    expect(await isRefused('home', 'bob@example.com')).toBe(false);
    passUntil(30 * DAY_MS);
    expect(await isRefused('home')).toBe(true);
  });

  it('do not keep out who logs in from the same place now and then, however long since the first time', async () => {
    for (const days of [0, 20]) {
      passUntil(days * DAY_MS);
      await limit.succeed(EMAIL, 'home');
    }
    passUntil(49 * DAY_MS);
    await attack(20);
    expect(await isRefused('home')).toBe(false);
  });

  it('do not make up for each other: who is known has ten attempts as well', async () => {
    await limit.succeed(EMAIL, 'home');
    const refused: boolean[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) refused.push(await isRefused('home'));
    expect(refused).toEqual([...Array(10).fill(false), true]);
  });
});
