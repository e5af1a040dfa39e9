import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiAnswer, startApi, type TestApi } from '../../http/api.fixture.js';
import type { Database } from '../../storage/postgres/database.js';
import { createPasswordHasher, type PasswordHasher, type PasswordHasherOptions } from './password-hasher.js';

const PASSWORD = 'correct horse battery';
/** Headers that differ between requests. */
const OF_THE_REQUEST = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
/** Rounds of measured requests. One account takes 50 log-ins in five minutes. */
const MIN_ROUNDS = 9;
const MAX_ROUNDS = 20;

let api: TestApi;
/** Number of hashes of passwords that were computed. */
let hashes = 0;
/** The SQL that was sent to the database. */
let statements: string[] = [];
/** Each address has a different state. Without the password, a caller must not see a difference. */
const addresses = ['known', 'suspended', 'closing', 'external', 'unknown'].map(
  (name) => `${name}@example.com`,
);

beforeAll(async () => {
  const open = await startApi();
  // The last address has no earlier mails, because mails to one address are limited.
  for (const email of [...addresses.slice(0, 3), 'late@example.com']) {
    await open.call('POST', '/auth/signup', { body: { email, password: PASSWORD } });
  }
  const { database } = open;
  await database.query(`INSERT INTO users (id, email) VALUES ('external', 'external@example.com')`);
  await database.query(
    `INSERT INTO suspensions (user_id, reason) SELECT id, 'spam' FROM users WHERE email = 'suspended@example.com'`,
  );
  await database.query(
    `INSERT INTO account_deletions (user_id, erase_at)
     SELECT id, now() + interval '7 days' FROM users WHERE email = 'closing@example.com'`,
  );
  api = await startApi({
    database: watched(database),
    accounts: { signup: 'verified' },
    createHasher: counting,
  });
  closeAll = async () => {
    await api.close();
    await open.close();
  };
});
let closeAll: () => Promise<void> = async () => undefined;
afterAll(() => closeAll());

/** The real hasher. */
function counting(options?: PasswordHasherOptions): PasswordHasher {
  const real = createPasswordHasher(options);
  return {
    hash(password) {
      hashes += 1;
      return real.hash(password);
    },
    matches(password, passwordHash) {
      hashes += 1;
      return real.matches(password, passwordHash);
    },
  };
}

/**
 * Makes a request, and resolves to the work before its answer. Waits until the work after the answer ends; it may
 * differ.
 */
async function answerAlone(url: string, body: object, from: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [hashes, statements] = [0, []];
  const { status } = await api.call('POST', url, { body, from });
  const work = { hashes, statements: [...statements] };
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  await expect.poll(idle).toBe(true);
  return { status, work };
}

/** Resolves to whether no statement was sent for a moment. */
async function idle(): Promise<boolean> {
  const before = statements.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  return statements.length === before;
}

function watched(database: Database): Database {
  return {
    ...database,
    query(sql, params) {
      statements.push(sql);
      return database.query(sql, params);
    },
    transaction(work, options) {
      statements.push('BEGIN');
      return database.transaction(work, options);
    },
  };
}

function seen({ status, body, headers }: ApiAnswer) {
  return {
    status,
    body,
    headers: Object.entries(headers).filter(([name]) => !OF_THE_REQUEST.includes(name)),
  };
}

describe('whether an address has an account', () => {
  it.each<[string, (email: string) => [url: string, body: object], number]>([
    ['signing up', (email) => ['/auth/signup', { email, password: 'another password' }], 202],
    ['a forgotten password', (email) => ['/auth/password/forgot', { email }], 202],
    ['another mail', (email) => ['/auth/email/resend', { email }], 202],
    ['logging in', (email) => ['/auth/login', { email, password: 'wrong password' }], 401],
    ['logging in with a browser', (email) => ['/auth/session', { email, password: 'wrong password' }], 401],
  ])('is not told by %s', async (_flow, requestOf, status) => {
    const answers: ReturnType<typeof seen>[] = [];
    for (const [at, email] of addresses.entries()) {
      const [url, body] = requestOf(email);
      answers.push(seen(await api.call('POST', url, { body, from: `192.0.2.${at + 1}` })));
    }
    expect(answers[0]?.status).toBe(status);
    for (const answer of answers) expect(answer).toEqual(answers.at(-1));
  });

  it.each<[string, (email: string) => [url: string, body: object], number]>([
    ['signing up', (email) => ['/auth/signup', { email, password: 'another password' }], 1],
    ['a forgotten password', (email) => ['/auth/password/forgot', { email }], 0],
    ['another mail', (email) => ['/auth/email/resend', { email }], 0],
    ['logging in', (email) => ['/auth/login', { email, password: 'wrong password' }], 1],
    ['logging in with spaces', (email) => ['/auth/login', { email, password: 'wrong password ' }], 2],
    ['logging in with a browser', (email) => ['/auth/session', { email, password: 'wrong password' }], 1],
  ])('makes no difference to the work before the answer of %s', async (_flow, requestOf, hashed) => {
    const works: object[] = [];
    for (const [at, email] of addresses.entries()) {
      const [url, body] = requestOf(email);
      works.push((await answerAlone(url, body, `198.51.100.${at + 1}`)).work);
    }
    expect(works[0]).toMatchObject({ hashes: hashed });
    for (const work of works) expect(work).toEqual(works.at(-1));
  });

  it('makes a difference to mails only, which are stored behind the answer', async () => {
    const stored = async () => (await api.database.query('SELECT 1 FROM mails')).length;
    const before = await stored();
    const body = { email: 'late@example.com' };
    const { status, work } = await answerAlone('/auth/password/forgot', body, '198.51.100.99');
    expect({ status, work }).toEqual({ status: 202, work: { hashes: 0, statements: [] } });
    await expect.poll(stored).toBe(before + 1);
  });

  it.each<[string, (email: string) => [url: string, body: object], number]>([
    ['signing up', (email) => ['/auth/signup', { email, password: 'another password' }], 202],
    ['logging in', (email) => ['/auth/login', { email, password: 'wrong password' }], 401],
    ['a forgotten password', (email) => ['/auth/password/forgot', { email }], 202],
    ['another mail', (email) => ['/auth/email/resend', { email }], 202],
  ])('is not told by the time of %s', async (_flow, requestOf, status) => {
    const fastestMs = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    const differenceMs = () => Math.abs(fastestMs.known - fastestMs.unknown);
    // If the password is hashed for only one of them, the other one takes a quarter of the time. On a busy machine, a
    // factor of two is noise.
    const allowedMs = () => 0.5 + Math.min(fastestMs.known, fastestMs.unknown);
    // Other work on the machine can only slow requests down, so more rounds never hide a real difference.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (round >= MIN_ROUNDS && differenceMs() < allowedMs()) break;
      const names = ['known', 'unknown'] as const;
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const [url, body] = requestOf(`${name}@example.com`);
        const beginMs = performance.now();
        const answer = await api.call('POST', url, { body, from: `203.0.113.${round + 1}` });
        fastestMs[name] = Math.min(fastestMs[name], performance.now() - beginMs);
        expect(answer.status).toBe(status);
      }
    }
    expect(differenceMs()).toBeLessThan(allowedMs());
  });

  it.each<[string, (email: string) => [url: string, body: object]]>([
    ['signing up', (email) => ['/auth/signup', { email, password: 'another password' }]],
    ['logging in', (email) => ['/auth/login', { email, password: 'wrong password' }]],
    ['a forgotten password', (email) => ['/auth/password/forgot', { email }]],
    ['another mail', (email) => ['/auth/email/resend', { email }]],
  ])('is not told by the limit of %s', async (_flow, requestOf) => {
    const statuses = async (email: string, from: string) => {
      const all: number[] = [];
      for (let time = 0; time < 12; time += 1) {
        const [url, body] = requestOf(email);
        all.push((await api.call('POST', url, { body, from })).status);
      }
      return all;
    };
    expect(await statuses('known@example.com', '192.0.2.50')).toEqual(
      await statuses('nobody@example.com', '192.0.2.51'),
    );
  });
});
