import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../http/api.fixture.js';
import { SCOPES } from '../../http/scopes.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';

const HOUR_MS = 3_600_000;

let test: TestDatabase;
let api: TestApi;
let nowMs = Date.now();

beforeAll(async () => {
  test = await openTestDatabase();
  api = await startApi({ database: test.database, nowMs: () => nowMs });
});
afterAll(async () => {
  await api.close();
  await test.close();
});

const open = (code: string) => api.call('POST', '/auth/session/code', { body: { code } });
const cookieOf = (header: string | undefined) => (header ?? '').split(';', 1)[0] ?? '';
const asUser = (cookie: string) => api.call('GET', '/auth/user', { headers: { cookie } });

async function newCode(): Promise<string> {
  const code = await api.accounts.createSignInCode();
  if (code === undefined) throw new Error('there is no first user');
  return code;
}

it('creates no code for an address that somebody has signed up with', async () => {
  const email = 'admin@waymark.localhost';
  await api.call('POST', '/auth/signup', { body: { email, password: 'correct horse battery' } });
  expect(await api.accounts.createSignInCode()).toBeUndefined();
  await test.database.query('DELETE FROM users WHERE email = $1', [email]);
  await api.accounts.bootstrap({ generate: true });
});

it('signs the first user in with a code, once', async () => {
  const code = await newCode();
  const opened = await open(code);
  expect(opened.status).toBe(200);
  expect(opened.headers['set-cookie']).toMatch(
    /^wm_session=wms_[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
  );
  const account = await asUser(cookieOf(opened.headers['set-cookie']));
  expect(account.json).toMatchObject({ user: { email: 'admin@waymark.localhost' }, isOperator: true });

  const again = await open(code);
  expect(again.status).toBe(422);
  expect(again.json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'code' });
  expect(again.headers['set-cookie']).toBeUndefined();
});

it('refuses a code after an hour, and one that was never given', async () => {
  const code = await newCode();
  nowMs += HOUR_MS;
  expect((await open(code)).status).toBe(422);
  expect((await open('wmc_unknown')).status).toBe(422);
  expect((await open('x'.repeat(201))).status).toBe(422);
});

it('opens the session of a browser with an access token that has all scopes', async () => {
  const user = await api.createUser();
  const opened = await api.call('POST', '/auth/session/token', { token: user.token });
  expect(opened.status).toBe(200);
  const account = await asUser(cookieOf(opened.headers['set-cookie']));
  expect(account.json).toMatchObject({ user: { id: user.id }, isOperator: false });

  const partial = await api.createToken(user.id, { scopes: SCOPES.slice(1) });
  const refused = await api.call('POST', '/auth/session/token', { token: partial });
  expect(refused.status).toBe(403);
  expect(refused.json.error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await api.call('POST', '/auth/session/token')).status).toBe(401);
});

it('opens no session for users who log in with a JWT', async () => {
  const user = await api.createUser();
  await test.database.query('UPDATE users SET external_subject = $2 WHERE id = $1', [user.id, 'subject']);
  const refused = await api.call('POST', '/auth/session/token', { token: user.token });
  expect(refused.status).toBe(403);
  expect(refused.json.error.code).toBe('FORBIDDEN');
  expect(refused.headers['set-cookie']).toBeUndefined();
});
