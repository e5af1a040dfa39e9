import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../http/api.fixture.js';
import { SCOPES } from '../../http/scopes.js';
import { PLANS } from '../plans/default-plans.js';
import { planRecord } from '../plans/plan-schema.js';
import { createPasswordHasher, type PasswordHasher, type PasswordHasherOptions } from './password-hasher.js';

let api: TestApi;
/** Hashers of new passwords wait for this promise. */
let newPasswordsMayBeHashed: Promise<void> = Promise.resolve();

beforeAll(async () => {
  api = await startApi({ createHasher });
});
afterAll(() => api.close());

const PASSWORD = 'correct horse battery';
let count = 0;
const newEmail = () => `person-${++count}@example.com`;
const signUp = (email: string, password = PASSWORD) =>
  api.call('POST', '/auth/signup', { body: { email, password } });
const logIn = (email: string, password = PASSWORD) =>
  api.call('POST', '/auth/login', { body: { email, password } });

function createHasher(options?: PasswordHasherOptions): PasswordHasher {
  const hasher = createPasswordHasher(options);
  let isForNew = false;
  return {
    async hash(password) {
      isForNew = true;
      await newPasswordsMayBeHashed;
      return hasher.hash(password);
    },
    async matches(password, passwordHash) {
      if (isForNew) await newPasswordsMayBeHashed;
      return hasher.matches(password, passwordHash);
    },
  };
}

describe('signing up', () => {
  it('makes a user and answers with a token for 24 hours that may do everything', async () => {
    const email = newEmail();
    const { status, json } = await signUp(email);
    expect(status).toBe(201);
    expect(json.user).toMatchObject({ email });
    expect(json.token).toMatch(/^wm_[A-Za-z0-9_-]{40,}$/);
    const lifetimeMs = Date.parse(json.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(23.9 * 3_600_000);
    expect(lifetimeMs).toBeLessThanOrEqual(24 * 3_600_000);
    const tokens = await api.call('GET', '/auth/tokens', { token: json.token });
    expect(tokens.json.tokens).toMatchObject([{ scopes: SCOPES, expiresAt: json.expiresAt }]);
  });

  it('keeps neither the password nor the token in the database', async () => {
    const email = newEmail();
    const { json } = await signUp(email);
    const rows = [
      ...(await api.database.query('SELECT * FROM users WHERE id = $1', [json.user.id])),
      ...(await api.database.query('SELECT * FROM tokens WHERE user_id = $1', [json.user.id])),
    ];
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      password_hash: expect.stringContaining('$argon2id$v=19$m=19456,t=2,p=1$'),
    });
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(PASSWORD);
    expect(stored).not.toContain(json.token);
  });

  it('takes an address once, however it is written', async () => {
    const email = newEmail();
    expect((await signUp(`  ${email.toUpperCase()} `)).json.user.email).toBe(email);
    const again = await signUp(email);
    expect(again.status).toBe(422);
    expect(again.json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'email' });
  });

  it('takes an address once also when it is asked for many times at once', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
  });

  it.each([
    ['no e-mail address', { password: PASSWORD }, 'email'],
    ['no password', { email: 'a@example.com' }, 'password'],
    ['an address without @', { email: 'example.com', password: PASSWORD }, 'email'],
    ['an address with a line break', { email: 'a@example.com\nb', password: PASSWORD }, 'email'],
    [
      'an address of 255 characters',
      { email: `${'a'.repeat(243)}@example.com`, password: PASSWORD },
      'email',
    ],
    ['a number for an address', { email: 1, password: PASSWORD }, 'email'],
    ['a password of 7 characters', { email: 'a@example.com', password: '1234567' }, 'password'],
    ['a password of 201 characters', { email: 'a@example.com', password: 'x'.repeat(201) }, 'password'],
    ['a member that nobody knows', { email: 'a@example.com', password: PASSWORD, isAdmin: true }, 'isAdmin'],
  ])('refuses %s', async (_what, body, field) => {
    const { status, json } = await api.call('POST', '/auth/signup', { body });
    expect(status).toBe(422);
    expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', field });
    expect(json.error.message).toContain(field);
  });

  it('can be closed; those who have an account still log in', async () => {
    const email = newEmail();
    await signUp(email);
    const closed = await startApi({ database: api.database, accounts: { signup: 'closed' } });
    const refused = await closed.call('POST', '/auth/signup', {
      body: { email: newEmail(), password: PASSWORD },
    });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('SIGNUP_CLOSED');
    const login = await closed.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
    expect(login.status).toBe(200);
    await closed.close();
  });
});

describe('logging in', () => {
  it('answers with a new token of the same user, in whatever case the address is written', async () => {
    const email = newEmail();
    const signup = await signUp(email);
    const login = await logIn(email.toUpperCase());
    expect(login.status).toBe(200);
    expect(login.json.user).toEqual(signup.json.user);
    expect(login.json.token).not.toBe(signup.json.token);
    const account = await api.call('GET', '/auth/user', { token: login.json.token });
    expect(account.json.user).toEqual(signup.json.user);
  });

  it('says the same of a wrong password, an unknown address and a user without a password', async () => {
    const email = newEmail();
    await signUp(email);
    const { email: withoutPassword } = await api.createUser();
    const answers = [
      await logIn(email, 'wrong password'),
      await logIn(newEmail()),
      await logIn(withoutPassword),
      await logIn(withoutPassword, ''),
    ];
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.json.error.code).toBe('INVALID_CREDENTIALS');
  });

  it('asks for a token where it is refused', async () => {
    const { status, headers } = await logIn(newEmail());
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('stores nothing for an Idempotency-Key, as signing up does', async () => {
    const body = { email: newEmail(), password: PASSWORD };
    const headers = { 'idempotency-key': 'one-log-in' };
    expect((await api.call('POST', '/auth/signup', { body, headers })).status).toBe(201);
    const logins = [0, 1].map(() => api.call('POST', '/auth/login', { body, headers }));
    const [first, second] = await Promise.all(logins);
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(first?.json.token).not.toBe(second?.json.token);
    expect(await api.database.query('SELECT 1 FROM idempotency_keys')).toEqual([]);
  });

  it('does not wait for the passwords of new users, which have a queue of their own', async () => {
    const email = newEmail();
    await signUp(email);
    let release = () => {};
    newPasswordsMayBeHashed = new Promise((resolve) => {
      release = resolve;
    });
    const signUps = Array.from({ length: 12 }, () => signUp(newEmail()));
    expect((await logIn(email)).status).toBe(200);
    release();
    expect((await Promise.all(signUps)).map(({ status }) => status)).toEqual(Array(12).fill(201));
  });

  it('takes passwords as they are, and those of before without the spaces around them', async () => {
    const email = newEmail();
    const spaced = ` ${PASSWORD} `;
    await signUp(email, spaced);
    expect((await logIn(email, spaced)).status).toBe(200);
    expect((await logIn(email, PASSWORD)).status).toBe(401);
    const old = newEmail();
    await signUp(old);
    expect((await logIn(old, spaced)).status).toBe(401);
    await api.database.query('UPDATE users SET password_is_exact = false WHERE email = $1', [old]);
    expect((await logIn(old, spaced)).status).toBe(200);
  });
});

describe('the log-ins of a user', () => {
  it('are five hundred at most: one more ends the oldest, and keeps nobody from creating tokens', async () => {
    const email = newEmail();
    const oldest = (await signUp(email)).json;
    const call = (method: string, url: string, token: string, body?: object) =>
      api.call(method, url, { token, ...(body && { body }) });
    expect((await call('GET', '/auth/user', oldest.token)).status).toBe(200);
    await api.database.query(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, is_session)
       SELECT $1 || n, $1, 'Log-in', decode(md5($1 || n), 'hex'), '{}', true FROM generate_series(1, 499) AS n`,
      [oldest.user.id],
    );
    const { token } = (await logIn(email)).json;
    expect((await call('GET', '/auth/user', oldest.token)).status).toBe(401);
    expect((await call('GET', '/auth/tokens', token)).json.tokens).toHaveLength(500);
    expect((await call('POST', '/auth/tokens', token, { name: 'own' })).status).toBe(201);
  });
});

describe('the account', () => {
  it('names the user, the plan with its limits, and how much is used', async () => {
    const user = await api.createUser({ plan: 'pro', scopes: ['redirects:read'] });
    const insert = `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type,
      path_forwarding, query_forwarding, sampling_rate, verification_value)
      VALUES ($1, $2, $1, '', '', 'permanent', false, false, 1, '')`;
    for (const id of ['one.example', 'two.example']) await api.database.query(insert, [id, user.id]);
    const { status, json } = await api.call('GET', '/auth/user', { token: user.token });
    expect(status).toBe(200);
    expect(json).toEqual({
      user: {
        id: user.id,
        email: user.email,
        isEmailVerified: false,
        createdAt: expect.stringMatching(/T.*\.\d{3}Z$/),
      },
      hasPassword: false,
      plan: planRecord(PLANS.pro),
      usage: {
        redirects: 2,
        redirectsUsed: 0,
        redirectsPending: 2,
        maxRedirects: 100,
        canCreateRedirect: true,
        totalAnalyticsEvents: 0,
        lastUsageUpdate: expect.stringMatching(/T.*\.\d{3}Z$/),
      },
      eraseAt: null,
      isEmailVerified: false,
      isOperator: false,
      isOnTrial: false,
      trialEndsAt: null,
      isInGracePeriod: false,
    });
    expect(json.plan.name).toBe('Pro');
  });
});
