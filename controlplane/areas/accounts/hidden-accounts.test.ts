import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiAnswer, startApi, type TestApi } from '../../http/api.fixture.js';

const PASSWORD = 'correct horse battery';
/** Differ from request to request. */
const OF_THE_REQUEST = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

let api: TestApi;
/** Each address is in another state. Whoever does not know the password must not see a difference. */
const addresses = ['known', 'suspended', 'closing', 'external', 'unknown'].map(
  (name) => `${name}@example.com`,
);

beforeAll(async () => {
  const open = await startApi();
  for (const email of addresses.slice(0, 3)) {
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
  api = await startApi({ database, accounts: { signup: 'verified' } });
  closeAll = async () => {
    await api.close();
    await open.close();
  };
});
let closeAll: () => Promise<void> = async () => undefined;
afterAll(() => closeAll());

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

  it.each<[string, (email: string) => [url: string, body: object]]>([
    ['signing up', (email) => ['/auth/signup', { email, password: 'another password' }]],
    ['logging in', (email) => ['/auth/login', { email, password: 'wrong password' }]],
    ['a forgotten password', (email) => ['/auth/password/forgot', { email }]],
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
