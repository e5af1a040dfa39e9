import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApi, type TestApi, type TestApiOptions } from '../../http/api.fixture.js';
import { createLogTransport, createSmtpTransport } from '../../mail/mail-transport.js';
import { startSmtpServer, type TestSmtpServer } from '../../mail/smtp-server.fixture.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { accountLinks } from './account-link.js';
import { tokenRepository } from './token-repository.js';
import { userRepository } from './user-repository.js';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of my own';

let test: TestDatabase;
let smtp: TestSmtpServer;
let api: TestApi;
let count = 0;
const newEmail = () => `walker-${++count}@example.com`;

beforeAll(async () => {
  [test, smtp] = await Promise.all([openTestDatabase(), startSmtpServer()]);
  api = await start({ accounts: { signup: 'verified' } });
});
afterEach(() => test.database.query('DELETE FROM mails'));
afterAll(async () => {
  await api.close();
  await smtp.close();
  await test.close();
});

function start(options: TestApiOptions): Promise<TestApi> {
  const transport = createSmtpTransport({ smtpUrl: smtp.url, from: 'Waymark <mail@waymark.example>' });
  return startApi({ database: test.database, mailTransport: transport, ...options });
}

const post = (url: string, body: object, options: object = {}) => api.call('POST', url, { body, ...options });
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to === email);
const stored = () => test.database.query('SELECT 1 FROM mails');

/** Resolves to the link in the newest mail to an address, once there are `number` mails. */
async function linkTo(email: string, number = 1): Promise<URL> {
  await vi.waitFor(
    async () => {
      await api.mails.runRound();
      expect(mailsTo(email)).toHaveLength(number);
    },
    { timeout: 60_000, interval: 50 },
  );
  return new URL(/https?:\/\/\S+/.exec(mailsTo(email).at(-1)?.text ?? '')?.[0] ?? '');
}

/** Creates an account with a proved address. */
async function newAccount(): Promise<{ email: string; token: string }> {
  const email = newEmail();
  await post('/auth/signup', { email, password: PASSWORD });
  const link = await linkTo(email);
  const { json } = await post('/auth/email/verify', { token: link.searchParams.get('token') });
  return { email, token: json.token };
}

describe('signing up where addresses must be proved', () => {
  it('begins the account with the mailed link, once', async () => {
    const email = newEmail();
    const signup = await post('/auth/signup', { email, password: PASSWORD });
    expect(signup.status).toBe(202);
    expect(signup.json).toEqual({ message: expect.any(String), delivery: 'email' });
    const link = await linkTo(email);
    expect(link.href).toMatch(/^http:\/\/api\.example\/auth\/email\/verify\?token=wml_/);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    const token = link.searchParams.get('token');
    const verified = await post('/auth/email/verify', { token });
    expect(verified.status).toBe(200);
    expect(verified.json).toMatchObject({
      token: expect.stringMatching(/^wm_/),
      user: { email, isEmailVerified: true },
    });
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
    const again = await post('/auth/email/verify', { token });
    expect(again.status).toBe(422);
    expect(again.json.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'token' });
  });

  it('answers the same for a known address, whose owner is told by mail', async () => {
    const { email } = await newAccount();
    const unknown = await post('/auth/signup', { email: newEmail(), password: PASSWORD });
    const known = await post('/auth/signup', { email, password: 'another password' });
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    const link = await linkTo(email, 2);
    expect(mailsTo(email).at(-1)?.text).toContain('You have an account already');
    expect(link.pathname).toBe('/auth/password/reset');
    expect((await post('/auth/login', { email, password: 'another password' })).status).toBe(401);
  });

  it('creates one account from two links, with the password of the one that is opened first', async () => {
    const email = newEmail();
    await post('/auth/signup', { email, password: PASSWORD });
    const first = await linkTo(email);
    await post('/auth/signup', { email, password: 'of somebody else' });
    const second = await linkTo(email, 2);
    const verify = (link: URL) => post('/auth/email/verify', { token: link.searchParams.get('token') });
    expect((await verify(first)).status).toBe(200);
    expect((await verify(second)).status).toBe(422);
    expect((await post('/auth/login', { email, password: 'of somebody else' })).status).toBe(401);
  });

  it('mails the link again, with which the account begins', async () => {
    const email = newEmail();
    await post('/auth/signup', { email, password: PASSWORD });
    await linkTo(email);
    const again = await post('/auth/email/resend', { email: ` ${email.toUpperCase()} ` });
    expect([again.status, again.json.delivery]).toEqual([202, 'email']);
    const token = (await linkTo(email, 2)).searchParams.get('token');
    expect((await post('/auth/email/verify', { token })).json.user).toMatchObject({ email });
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
    const confirmed = await post('/auth/email/resend', { email });
    const unknown = await post('/auth/email/resend', { email: newEmail() });
    for (const { status, body } of [confirmed, unknown]) expect([status, body]).toEqual([202, again.body]);
    expect(await stored()).toEqual([]);
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('mails an address five times an hour at most, and does not say so', async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 7 }, () => post('/auth/signup', { email, password: PASSWORD })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    await linkTo(email, 5);
    expect(await stored()).toEqual([]);
  });
});

describe('a page behind a link', () => {
  it('confirms an address only when its form is sent', async () => {
    const email = newEmail();
    await post('/auth/signup', { email, password: PASSWORD });
    const link = await linkTo(email);
    const page = await api.app.inject({ url: link.pathname + link.search });
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    const sent = await api.app.inject({
      method: 'POST',
      url: new URL(/action="([^"]+)"/.exec(page.body)?.[1] ?? '', link).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      payload: new URLSearchParams({ token: link.searchParams.get('token') ?? '' }).toString(),
    });
    expect([sent.statusCode, sent.body]).toEqual([200, expect.stringContaining('is confirmed')]);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });
});

describe('a forgotten password', () => {
  it('is replaced by the mailed link, once, which ends all sessions', async () => {
    const { email, token } = await newAccount();
    const known = await post('/auth/password/forgot', { email: ` ${email.toUpperCase()} ` });
    const unknown = await post('/auth/password/forgot', { email: newEmail() });
    expect(known.status).toBe(202);
    expect(known.body).toBe(unknown.body);
    const link = await linkTo(email, 2);
    const body = { token: link.searchParams.get('token'), newPassword: NEW_PASSWORD };
    expect((await post('/auth/password/reset', body)).status).toBe(200);
    expect((await post('/auth/password/reset', body)).status).toBe(422);
    expect((await api.call('GET', '/auth/user', { token })).status).toBe(401);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    expect((await post('/auth/login', { email, password: NEW_PASSWORD })).status).toBe(200);
    await api.mails.runRound();
    expect(mailsTo(email).at(-1)?.text).toContain('password was changed');
  });

  it('is not replaced by a link that is past its end, nor by one of another purpose', async () => {
    const { email } = await newAccount();
    await post('/auth/password/forgot', { email });
    const link = await linkTo(email, 2);
    await test.database.query('UPDATE account_links SET expires_at = now() WHERE email = $1', [email]);
    const other = newEmail();
    await post('/auth/signup', { email: other, password: PASSWORD });
    for (const { searchParams } of [link, await linkTo(other)]) {
      const body = { token: searchParams.get('token'), newPassword: NEW_PASSWORD };
      expect((await post('/auth/password/reset', body)).status).toBe(422);
    }
  });

  it('of a user without one stays so', async () => {
    const { email } = await api.createUser();
    expect((await post('/auth/password/forgot', { email })).status).toBe(202);
    const { email: other } = await newAccount();
    await post('/auth/password/forgot', { email: other });
    await linkTo(other, 2);
    expect(mailsTo(email)).toEqual([]);
  });
});

describe('changing the password', () => {
  it('asks for the old one and ends the other sessions', async () => {
    const { email, token } = await newAccount();
    const other = (await post('/auth/login', { email, password: PASSWORD })).json.token;
    const wrong = await post(
      '/auth/password/change',
      { currentPassword: NEW_PASSWORD, newPassword: NEW_PASSWORD },
      { token },
    );
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    const named = (await post('/auth/tokens', { name: 'a script' }, { token })).json.token;
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await post('/auth/password/change', body, { token })).status).toBe(200);
    const statusOf = async (one: string) => (await api.call('GET', '/auth/user', { token: one })).status;
    expect([await statusOf(token), await statusOf(other), await statusOf(named)]).toEqual([200, 401, 200]);
    expect((await post('/auth/login', { email, password: NEW_PASSWORD })).status).toBe(200);
  });
});

describe('the first password', () => {
  const NEW = { newPassword: NEW_PASSWORD };
  const ownPage = { 'x-requested-with': 'waymark' };
  const accountOf = async (token: string) => (await api.call('GET', '/auth/user', { token })).json;

  it('is set by the session of a user without one, who logs in with it then', async () => {
    const { id, email } = await api.createUser();
    const named = await api.createToken(id);
    const opened = async () => {
      const { headers } = await post('/auth/session/token', {}, { token: named });
      return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
    };
    const [other, own] = [await opened(), await opened()];
    expect(await accountOf(named)).toMatchObject({ hasPassword: false });

    const forged = await post('/auth/password/set', NEW, { headers: own });
    expect([forged.status, forged.json.error.code]).toEqual([403, 'REQUESTED_WITH_REQUIRED']);
    const short = await post(
      '/auth/password/set',
      { newPassword: 'short' },
      { headers: { ...own, ...ownPage } },
    );
    expect([short.status, short.json.error.field]).toEqual([422, 'newPassword']);
    expect((await post('/auth/password/set', NEW, { headers: { ...own, ...ownPage } })).status).toBe(200);

    expect(await accountOf(named)).toMatchObject({ hasPassword: true });
    const statusOf = async (headers: Readonly<Record<string, string>>) =>
      (await api.call('GET', '/auth/user', { headers })).status;
    expect([await statusOf(own), await statusOf(other)]).toEqual([200, 401]);
    expect((await post('/auth/login', { email, password: NEW_PASSWORD })).status).toBe(200);
    const again = await post('/auth/password/set', { newPassword: 'another one' }, { token: named });
    expect([again.status, again.json.error.field]).toEqual([422, 'newPassword']);
    expect((await post('/auth/login', { email, password: NEW_PASSWORD })).status).toBe(200);
    const audited = await test.database.query(
      'SELECT summary FROM audit_log WHERE user_id = $1 AND action = $2',
      [id, 'account.password_changed'],
    );
    expect(audited).toEqual([{ summary: 'Set the first password' }]);
  });

  it('is not set by a token without all scopes, nor for a user of a JWT', async () => {
    const { id } = await api.createUser();
    const limited = await api.createToken(id, { scopes: ['tokens:write'] });
    const refused = await post('/auth/password/set', NEW, { token: limited });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const full = await api.createToken(id);
    await test.database.query("UPDATE users SET external_subject = 'issuer subject' WHERE id = $1", [id]);
    expect((await post('/auth/password/set', NEW, { token: full })).status).toBe(403);
    expect(await accountOf(full)).toMatchObject({ hasPassword: false });
  });

  it('is set once by two requests at the same time', async () => {
    const { id, email } = await api.createUser();
    const token = await api.createToken(id);
    const passwords = ['the first of two', 'the second of two'];
    const answers = await Promise.all(
      passwords.map((newPassword) => post('/auth/password/set', { newPassword }, { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const logins = await Promise.all(passwords.map((password) => post('/auth/login', { email, password })));
    expect(logins.map(({ status }) => status)).toEqual(
      answers.map(({ status }) => (status === 200 ? 200 : 401)),
    );
  });
});

describe('a change of the password', () => {
  it('ends all open links of the user', async () => {
    const { email, token } = await newAccount();
    const { user } = (await api.call('GET', '/auth/user', { token })).json;
    const link = { purpose: 'verify_email', userId: user.id, email } as const;
    const linkToken = await accountLinks.create(test.database, link);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await post('/auth/password/change', body, { token })).status).toBe(200);
    expect((await post('/auth/email/verify', { token: linkToken })).status).toBe(422);
  });

  it('leaves no session for a password that was checked before it', async () => {
    const { email, token } = await newAccount();
    const checked = await userRepository.findCredentials(test.database, email);
    const userId = checked?.user.id ?? '';
    const open = (id: string) =>
      tokenRepository.insertSession(
        test.database,
        { id, userId, name: 'Log-in', hash: Buffer.from(id), scopes: [], expiresAt: null, isSession: true },
        checked?.passwordHash,
      );
    expect(await open(`${userId}-before`)).toMatchObject({ userId });
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await post('/auth/password/change', body, { token })).status).toBe(200);
    expect(await open(`${userId}-after`)).toBeUndefined();
  });
});

describe('the session of a browser', () => {
  const ownPage = { 'x-requested-with': 'waymark' };
  const open = async (email: string, options: { password?: string; headers?: object } = {}) => {
    const { password = PASSWORD, headers } = options;
    const answer = await post('/auth/session', { email, password }, headers && { headers });
    const header = String(answer.headers['set-cookie'] ?? '');
    return { ...answer, header, cookie: header.split(';')[0] ?? '' };
  };

  it('is a cookie that scripts cannot read and other sites cannot use', async () => {
    const { email } = await newAccount();
    const { status, json, header, cookie } = await open(email, { headers: { 'user-agent': 'A browser' } });
    expect(status).toBe(200);
    expect(json).toEqual({ expiresAt: expect.any(String), user: expect.objectContaining({ email }) });
    expect(header).toMatch(/^wm_session=wms_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect((await api.call('GET', '/auth/user', { headers: { cookie } })).status).toBe(200);
    const refused = await post('/auth/tokens', { name: 'forged' }, { headers: { cookie } });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'REQUESTED_WITH_REQUIRED']);
    const made = await post('/auth/tokens', { name: 'own' }, { headers: { cookie, ...ownPage } });
    expect(made.status).toBe(201);
    const { sessions } = (await api.call('GET', '/auth/sessions', { headers: { cookie } })).json;
    expect(sessions[0]).toMatchObject({ kind: 'cookie', userAgent: 'A browser', isCurrent: true });
    expect(sessions[1]).toMatchObject({ kind: 'token', userAgent: null, isCurrent: false });
  });

  it('is encrypted on the way where the API is reached over TLS', async () => {
    const { email } = await newAccount();
    const secure = await start({ accounts: { publicApiUrl: 'https://api.example' } });
    const { headers } = await secure.call('POST', '/auth/session', { body: { email, password: PASSWORD } });
    expect(String(headers['set-cookie'])).toMatch(/; Secure$/);
    await secure.close();
  });

  it('works in the cookie only, and an access token does not work there', async () => {
    const { email, token } = await newAccount();
    const { cookie } = await open(email);
    const secret = cookie.slice('wm_session='.length);
    expect((await api.call('GET', '/auth/user', { token: secret })).status).toBe(401);
    const headers = { cookie: `wm_session=${token}` };
    expect((await api.call('GET', '/auth/user', { headers })).status).toBe(401);
  });

  it('ends by logging out, by its id, and with all others', async () => {
    const { email, token } = await newAccount();
    const [one, two, three] = [await open(email), await open(email), await open(email)];
    const asks = async ({ cookie }: { cookie: string }) =>
      (await api.call('GET', '/auth/user', { headers: { cookie } })).status;
    const out = await api.call('DELETE', '/auth/session', { headers: { cookie: one.cookie, ...ownPage } });
    expect([out.status, out.headers['set-cookie']]).toEqual([
      200,
      expect.stringMatching(/^wm_session=; .*Max-Age=0/),
    ]);
    expect(await asks(one)).toBe(401);
    const named = (await post('/auth/tokens', { name: 'a script' }, { token })).json.token;
    const none = await api.call('DELETE', '/auth/session', { token: named });
    expect([none.status, none.json.error.message]).toEqual([404, expect.stringContaining('no session.')]);
    const listed = await api.call('GET', '/auth/sessions', { headers: { cookie: two.cookie } });
    const { id } = listed.json.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    const stranger = await api.createUser();
    const stolen = await api.call('DELETE', `/auth/sessions/${id}`, { token: stranger.token });
    expect([stolen.status, stolen.json.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await api.call('DELETE', `/auth/sessions/${id}`, { token })).status).toBe(200);
    expect(await asks(two)).toBe(401);
    const all = await api.call('DELETE', '/auth/sessions', { token });
    expect([all.status, all.json.ended]).toEqual([200, 1]);
    expect(await asks(three)).toBe(401);
    expect((await api.call('GET', '/auth/user', { token })).status).toBe(200);
  });
});

describe('without an SMTP server', () => {
  it('the link is in the log of the operator, and the answer says so', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const logged = await start({
      mailTransport: createLogTransport(logger),
      accounts: { signup: 'verified' },
    });
    const email = newEmail();
    const { status, json } = await logged.call('POST', '/auth/signup', {
      body: { email, password: PASSWORD },
    });
    expect([status, json.delivery]).toEqual([202, 'log']);
    await vi.waitFor(
      async () => {
        await logged.mails.runRound();
        expect(lines.join()).toContain(email);
      },
      { timeout: 60_000, interval: 50 },
    );
    const token = /token=(wml_[\w-]+)/.exec(lines.join())?.[1];
    expect((await logged.call('POST', '/auth/email/verify', { body: { token } })).status).toBe(200);
    expect(lines.join()).not.toContain(PASSWORD);
    await logged.close();
  });
});
