import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { NO_SUBSCRIPTIONS } from '../../http/api.fixture.js';
import { deletedRedirects } from '../redirects/deleted-redirects.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { deletionRepository } from './deletion-repository.js';
import { cancelOfLeaver } from './leaver-subscriptions.js';

const PASSWORD = 'correct horse battery';

let area: RedirectsApi;
let erased: string[] = [];
let ended: string[] = [];
let storeFails = false;
/** Users with a subscription that would be renewed. */
const paying = new Set<string>();
/** Commands to the payment provider, in order. */
let told: string[] = [];
let providerFails = false;
let afterResuming: (() => Promise<void>) | undefined;

function tell(what: 'cancel' | 'resume', userId: string): void {
  if (providerFails) throw new AppError('SERVICE_UNAVAILABLE', { message: 'The payment provider is away.' });
  told.push(`${what} ${userId}`);
}
let count = 0;

beforeAll(async () => {
  area = await startRedirectsApi(undefined, {
    async eraseHits(redirectIds) {
      if (storeFails) throw new Error('the store is away');
      erased.push(...redirectIds);
    },
    subscriptions: {
      renewing: async (_source, userId) => (paying.has(userId) ? `sub-${userId}` : undefined),
      cancel: async (userId) => tell('cancel', userId),
      async resume(userId) {
        tell('resume', userId);
        await afterResuming?.();
      },
      async end(userId) {
        if (userId.startsWith('stuck-')) throw new Error('the payment provider refuses');
        ended.push(userId);
      },
    },
  });
});
afterAll(() => area.close());
beforeEach(() => {
  erased = [];
  ended = [];
  storeFails = false;
  told = [];
  providerFails = false;
});

const call = (method: string, url: string, token: string, body?: object) =>
  area.api.call(method, url, { token, ...(body && { body }) });

async function newAccount() {
  const email = `leaver-${++count}@example.com`;
  const { json } = await area.api.call('POST', '/auth/signup', { body: { email, password: PASSWORD } });
  const fromDomain = `left-${count}.example`;
  const redirect = await area.createVerified(json.token, { fromDomain, toDomain: 'https://new.example' });
  return { id: json.user.id as string, email, token: json.token as string, fromDomain, redirect };
}

const passGrace = (id: string) =>
  area.api.database.query(`UPDATE account_deletions SET erase_at = now() WHERE user_id = $1`, [id]);

describe('deleting an account', () => {
  it('asks for the password, and makes visitors get 410 at once', async () => {
    const { token, fromDomain } = await newAccount();
    expect((await call('DELETE', '/auth/user', token)).json.error.field).toBe('password');
    const wrong = await call('DELETE', '/auth/user', token, { password: 'wrong password' });
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await area.served(fromDomain)).not.toHaveProperty('gone');
    const { status, json } = await call('DELETE', '/auth/user', token, { password: PASSWORD });
    expect(status).toBe(202);
    const graceDays = (Date.parse(json.eraseAt) - Date.now()) / 86_400_000;
    expect(graceDays).toBeCloseTo(7, 1);
    expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
  });

  it('leaves an account that can be read and restored, until it is erased', async () => {
    const { id, email, token, fromDomain } = await newAccount();
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    const account = await call('GET', '/auth/user', token);
    expect([account.status, account.json.eraseAt]).toEqual([200, expect.any(String)]);
    const refused = await area.create(token, { fromDomain: 'new.example', toDomain: 'https://x.example' });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'ACCOUNT_CLOSING']);
    expect(await area.api.accounts.erasure.runRound()).toBe(0);
    const login = await area.api.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
    expect((await call('POST', '/auth/user/restore', login.json.token)).status).toBe(200);
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(404);
    expect(await area.served(fromDomain)).not.toHaveProperty('gone');
    await passGrace(id);
    expect(await area.api.accounts.erasure.runRound()).toBe(0);
    expect((await call('GET', '/auth/user', token)).status).toBe(200);
  });

  it('cancels the subscription with the request, and resumes it when the deletion is taken back', async () => {
    const { id, token } = await newAccount();
    paying.add(id);
    for (let time = 0; time < 2; time += 1) await call('DELETE', '/auth/user', token, { password: PASSWORD });
    expect(told).toEqual([`cancel ${id}`]);
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(200);
    expect(told).toEqual([`cancel ${id}`, `resume ${id}`]);
    await area.api.accounts.erasure.runRound();
    expect(told).toHaveLength(2);
  });

  it('leaves a subscription alone that its owner had cancelled', async () => {
    const { token } = await newAccount();
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await call('POST', '/auth/user/restore', token);
    expect(told).toEqual([]);
  });

  it('cancels the subscription later when the payment provider is away, and resumes it before anything else', async () => {
    const { id, token } = await newAccount();
    paying.add(id);
    providerFails = true;
    expect((await call('DELETE', '/auth/user', token, { password: PASSWORD })).status).toBe(202);
    await area.api.accounts.erasure.runRound();
    expect(told).toEqual([]);
    providerFails = false;
    for (let round = 0; round < 2; round += 1) await area.api.accounts.erasure.runRound();
    expect(told).toEqual([`cancel ${id}`]);
    providerFails = true;
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(503);
    expect((await call('GET', '/auth/user', token)).json.eraseAt).toEqual(expect.any(String));
    providerFails = false;
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(200);
    expect(told.at(-1)).toBe(`resume ${id}`);
  });

  it('takes a cancellation back that the background work makes during the restoration', async () => {
    const { id, token } = await newAccount();
    paying.add(id);
    providerFails = true;
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    providerFails = false;
    afterResuming = async () => {
      afterResuming = undefined;
      await area.api.accounts.erasure.runRound();
    };
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(200);
    expect(told).toEqual([`resume ${id}`, `cancel ${id}`, `resume ${id}`]);
  });

  it('takes a cancellation back that crosses with the restoration', async () => {
    const { id } = await newAccount();
    const { database } = area.api;
    await cancelOfLeaver(database, { ...NO_SUBSCRIPTIONS, resume: async (user) => tell('resume', user) }, id);
    expect(told).toEqual([`resume ${id}`]);
  });

  it('erases redirects, statistics and the subscription after the grace', async () => {
    const { id, token, fromDomain, redirect } = await newAccount();
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await passGrace(id);
    expect((await call('POST', '/auth/user/restore', token)).status).toBe(404);
    storeFails = true;
    expect(await area.api.accounts.erasure.runRound()).toBe(0);
    expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    storeFails = false;
    expect(await area.api.accounts.erasure.runRound()).toBe(1);
    expect(erased).toEqual([redirect.id]);
    expect(ended).toContain(id);
    expect(await area.served(fromDomain)).toBeUndefined();
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
    for (const table of ['redirects', 'tokens', 'account_links', 'account_deletions']) {
      expect(await area.api.database.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id]), table).toEqual(
        [],
      );
    }
    expect(await area.api.database.query('SELECT 1 FROM users WHERE id = $1', [id])).toEqual([]);
  });

  it('erases the statistics of redirects that were removed earlier', async () => {
    const { id, token, redirect } = await newAccount();
    await call('DELETE', `/redirects/${redirect.id}`, token);
    await area.api.database.query(
      `UPDATE redirects SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [redirect.id],
    );
    expect(await deletedRedirects.purge(area.api.database, 10)).toBe(1);
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await passGrace(id);
    expect(await area.api.accounts.erasure.runRound()).toBe(1);
    expect(erased).toEqual([redirect.id]);
  });

  it('is done by one control plane at a time, and by another one when that was killed', async () => {
    const { id, token } = await newAccount();
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await passGrace(id);
    const claim = () => deletionRepository.claimDue(area.api.database, { last: [], except: [] });
    const claims = await Promise.all([claim(), claim(), claim()]);
    expect(claims.filter((claimed) => claimed === id)).toHaveLength(1);
    expect(await area.api.accounts.erasure.runRound()).toBe(0);
    expect(ended).toEqual([]);
    await area.api.database.query(
      `UPDATE account_erasure_claims SET claimed_until = now() - interval '1 second' WHERE user_id = $1`,
      [id],
    );
    expect(await area.api.accounts.erasure.runRound()).toBe(1);
  });

  it('takes the pages of paths of its redirects from data planes', async () => {
    const { id, token, fromDomain, redirect } = await newAccount();
    await area.api.database.query('INSERT INTO path_tables (redirect_id, salt) VALUES ($1, 1)', [
      redirect.id,
    ]);
    const key = `/${redirect.id}/0`;
    await area.api.database.query(
      `INSERT INTO path_pages (key, redirect_id, content) VALUES ($1, $2, 'a page')`,
      [key, redirect.id],
    );
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await passGrace(id);
    expect(await area.api.accounts.erasure.runRound()).toBeGreaterThan(0);
    expect((await area.changedHosts()).slice(-4)).toEqual(expect.arrayContaining([key, fromDomain]));
  });

  it('is not held up by accounts that cannot be erased', async () => {
    const { id, token } = await newAccount();
    await call('DELETE', '/auth/user', token, { password: PASSWORD });
    await passGrace(id);
    await area.api.database.query(
      `WITH stuck AS (INSERT INTO users (id) SELECT 'stuck-' || n FROM generate_series(1, 20) n RETURNING id)
       INSERT INTO account_deletions (user_id, erase_at) SELECT id, now() - interval '1 hour' FROM stuck`,
    );
    expect(await area.api.accounts.erasure.runRound()).toBe(0);
    expect(await area.api.accounts.erasure.runRound()).toBe(1);
    expect(ended).toEqual([id]);
    await area.api.database.query(`DELETE FROM users WHERE id LIKE 'stuck-%'`);
  });

  it('is announced by one mail, however often it is requested', async () => {
    const { token } = await newAccount();
    const mails = async () => (await area.api.database.query('SELECT 1 FROM mails')).length;
    const before = await mails();
    for (let time = 0; time < 2; time += 1) {
      expect((await call('DELETE', '/auth/user', token, { password: PASSWORD })).status).toBe(202);
    }
    expect(await mails()).toBe(before + 1);
  });

  it('is refused to the operator', async () => {
    const { token = '' } = await area.api.accounts.bootstrap({ generate: true });
    const operator = token || (await bootstrapped());
    expect((await call('DELETE', '/auth/user', operator)).status).toBe(422);
  });
});

/** Creates the first user, after others already exist, and resolves to its token. */
async function bootstrapped(): Promise<string> {
  const { id } = (
    await area.api.database.query<{ id: string }>(
      `INSERT INTO users (id, email) VALUES ('first', 'admin@waymark.localhost') RETURNING id`,
    )
  )[0]!;
  return area.api.createToken(id);
}
