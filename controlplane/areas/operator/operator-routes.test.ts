import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { decodeCursor, toReadPage } from '../../http/page-cursor.js';
import { SCOPES } from '../../http/scopes.js';
import { releaseDomain } from '../redirects/public.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects/redirects-api.fixture.js';
import { INTEGRATOR_EVENT_TYPES } from '../webhooks/integrator-events.js';
import { createOperator } from './operator.js';
import { operatorLog } from './operator-log.js';

let area: RedirectsApi;
let operator: string;
let owner: TestUser;
let count = 0;
const newDomain = () => `shop-${++count}.example`;

beforeAll(async () => {
  area = await startRedirectsApi(({ database, outbox, mails, accounts, logger }) => [
    createOperator({
      database,
      outbox,
      mails,
      logger,
      isOperator: accounts.isOperator,
      standingPasses: accounts.standingPasses,
      onStandingChanged: () => accounts.standingChanged(),
      releaseDomain,
    }),
  ]);
  operator = (await area.api.accounts.bootstrap({ generate: true })).token ?? '';
  owner = await area.api.createUser({ plan: 'business' });
  await area.api.database.query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ('hook', $1, 'https://h.example', $2, '')`,
    [owner.id, [...INTEGRATOR_EVENT_TYPES]],
  );
});
afterAll(() => area.close());

const as = (token: string) => (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token, ...(body && { body }) });
const operate = (method: string, url: string, body?: object) => as(operator)(method, url, body);
const verified = (toDomain = 'https://new.example') =>
  area.createVerified(owner.token, { fromDomain: newDomain(), toDomain });
const lastEvent = async () => {
  const [row] = await area.api.database.query<{ payload: string }>(
    `SELECT payload FROM webhook_events WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
    [owner.id],
  );
  return JSON.parse(row?.payload ?? '{}');
};
const mails = () => area.api.database.query('SELECT 1 FROM mails');
const forgetMails = () => area.api.database.query('DELETE FROM mails');

describe('everything for operators', () => {
  it.each([
    ['GET', '/admin/users', undefined],
    ['POST', '/admin/users/x/suspend', {}],
    ['POST', '/admin/users/x/resume', undefined],
    ['POST', '/admin/takedowns', { host: 'shop.example', reason: 'r' }],
    ['GET', '/admin/takedowns', undefined],
    ['DELETE', '/admin/takedowns/x', undefined],
    ['POST', '/admin/domains/shop.example/release', undefined],
    ['GET', '/admin/log', undefined],
  ])('is refused to others: %s %s', async (method, url, body) => {
    const { status, json } = await as(owner.token)(method, url, body);
    expect([status, json.error.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('tokens of the operator', () => {
  it('need all scopes', async () => {
    const { json } = await operate('GET', '/auth/user');
    const limited = await area.api.createToken(json.user.id, { scopes: SCOPES.slice(0, -1) });
    const refused = await as(limited)('GET', '/admin/users');
    expect([refused.status, refused.json.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect((await as(operator)('GET', '/admin/users')).status).toBe(200);
  });
});

describe('users', () => {
  it('are listed in pages, newest first, and found by their address', async () => {
    const newest = await area.api.createUser();
    const first = await operate('GET', '/admin/users?limit=1');
    expect(first.json.data).toMatchObject([{ id: newest.id, email: newest.email, suspendedAt: null }]);
    expect(first.json.page).toEqual({ limit: 1, nextCursor: expect.any(String) });
    const second = await operate('GET', `/admin/users?limit=1&cursor=${first.json.page.nextCursor}`);
    expect(second.json.data[0].id).not.toBe(newest.id);
    const found = await operate('GET', `/admin/users?search=${newest.email.toUpperCase()}`);
    expect(found.json).toMatchObject({ data: [{ id: newest.id }], page: { nextCursor: null } });
    const bad = await operate('GET', '/admin/users?cursor=x');
    expect([bad.status, bad.json.error.field]).toEqual([400, 'cursor']);
  });

  it('that are suspended are refused, and visitors of their redirects get 410, until they are resumed', async () => {
    const { fromDomain } = await verified();
    await forgetMails();
    const suspended = await operate('POST', `/admin/users/${owner.id}/suspend`, { reason: 'spam' });
    expect(suspended.status).toBe(200);
    expect(suspended.json).toMatchObject({ suspendedAt: expect.any(String), suspensionReason: 'spam' });
    expect(await mails()).toHaveLength(1);
    const refused = await as(owner.token)('GET', '/auth/user');
    expect([refused.status, refused.json.error.code]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
    expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    const listed = await operate('GET', '/admin/users?status=suspended');
    expect(listed.json.data).toMatchObject([{ id: owner.id }]);
    expect((await operate('POST', `/admin/users/${owner.id}/resume`)).json.suspendedAt).toBeNull();
    expect((await as(owner.token)('GET', '/auth/user')).status).toBe(200);
    expect(await area.served(fromDomain)).not.toHaveProperty('gone');
  });

  it('cannot be suspended if they operate the installation', async () => {
    const { json } = await operate('GET', '/auth/user');
    const { status } = await operate('POST', `/admin/users/${json.user.id}/suspend`);
    expect(status).toBe(422);
    expect((await operate('POST', '/admin/users/nobody/suspend')).status).toBe(404);
  });
});

describe('takedowns', () => {
  it('of a host make its visitors get 410 and tell the owner, until they are lifted', async () => {
    const { fromDomain } = await verified();
    await forgetMails();
    const host = ` ${fromDomain.toUpperCase()}.`;
    const created = await operate('POST', '/admin/takedowns', { host, reason: 'phishing' });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ host: fromDomain, destinationHost: null, redirects: 1 });
    expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    expect(await lastEvent()).toMatchObject({
      type: 'redirect.taken_down',
      data: { domains: [fromDomain], count: 1, reason: 'phishing' },
    });
    expect(await mails()).toHaveLength(1);
    const again = await operate('POST', '/admin/takedowns', { host: fromDomain, reason: 'again' });
    expect([again.status, again.json.error.field]).toEqual([422, 'host']);
    const { id } = created.json;
    expect((await operate('GET', '/admin/takedowns')).json.data[0]).toMatchObject({ id, liftedAt: null });
    expect((await operate('DELETE', `/admin/takedowns/${id}`)).status).toBe(200);
    expect((await operate('DELETE', `/admin/takedowns/${id}`)).status).toBe(404);
    expect(await area.served(fromDomain)).not.toHaveProperty('gone');
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
  });

  it('of a destination count for redirects of before and after, and for rules however they write it', async () => {
    const [before, byRule, other] = [
      await verified('https://evil.example/a'),
      await verified(),
      await verified(),
    ];
    const rule = (id: string, url: string) =>
      area.api.database.query(
        `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
         VALUES ($1, 'r', 'force', '[]', 'AND', $2, 1, 'active', 'x')`,
        [id, JSON.stringify({ type: 'redirect', url })],
      );
    await rule(byRule.id, 'https://%65vil.EXAMPLE:8443/x');
    await rule(other.id, 'https://not-evil.example/https://evil.example/');
    const body = { destinationHost: 'Evil.example', reason: 'malware' };
    const { json } = await operate('POST', '/admin/takedowns', body);
    expect(json).toMatchObject({ host: null, destinationHost: 'evil.example', redirects: 2 });
    expect((await lastEvent()).data.domains.sort()).toEqual([before.fromDomain, byRule.fromDomain].sort());
    const changed = (await area.changedHosts()).slice(-2);
    expect(changed).toEqual(expect.arrayContaining([before.fromDomain, byRule.fromDomain]));
    const after = await verified('http://EVIL.example./b');
    for (const { fromDomain } of [before, byRule, after]) {
      expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    }
    expect(await area.served(other.fromDomain)).not.toHaveProperty('gone');
    await operate('DELETE', `/admin/takedowns/${json.id}`);
    expect(await area.served(byRule.fromDomain)).not.toHaveProperty('gone');
  });

  it('of a destination count for enabled entries of path tables, also for later ones', async () => {
    const [early, late, other] = [await verified(), await verified(), await verified()];
    for (const { id } of [early, late, other]) {
      await area.api.database.query(
        `INSERT INTO path_tables (redirect_id, salt, published) VALUES ($1, 1, '{"salt": 1}')`,
        [id],
      );
    }
    const entry = (id: string, destination: string, enabled = true) =>
      area.api.database.query(
        `INSERT INTO path_entries (redirect_id, source, destination, status_code, enabled, note, hash, shape)
         VALUES ($1, '/a', $2, 301, $3, '', 1, '')`,
        [id, destination, enabled],
      );
    await entry(early.id, 'HTTPS://b%61d.Example:8443/x');
    await entry(other.id, 'https://not-bad.example/https://bad.example/');
    await entry(other.id, '/bad.example');
    await entry(other.id, 'https://bad.example/', false);
    const { json } = await operate('POST', '/admin/takedowns', {
      destinationHost: 'bad.example',
      reason: 'r',
    });
    expect(json.redirects).toBe(1);
    expect((await lastEvent()).data.domains).toEqual([early.fromDomain]);
    await entry(late.id, 'http://bad.example?x');
    for (const { fromDomain } of [early, late]) {
      expect(await area.served(fromDomain)).toMatchObject({ gone: true });
    }
    expect(await area.served(other.fromDomain)).not.toHaveProperty('gone');
    await operate('DELETE', `/admin/takedowns/${json.id}`);
    expect(await area.served(early.fromDomain)).not.toHaveProperty('gone');
  });

  describe('of a host below a wildcard', () => {
    /** Creates a wildcard redirect, and proves its zone. */
    async function verifiedZone() {
      const zone = newDomain();
      const wildcard = { fromDomain: `*.${zone}`, toDomain: 'https://new.example' };
      const { json } = await as(owner.token)('POST', '/redirects', wildcard);
      area.dns.setTxt(json.verification.name, [json.verification.value]);
      await as(owner.token)('POST', '/verify-domain', { domain: `*.${zone}` });
      return zone;
    }
    const gone = { gone: true, samplingRate: 0 };

    it('count without a redirect of the host, and are told to the owner of the wildcard', async () => {
      const zone = await verifiedZone();
      await forgetMails();
      const host = `a.b.${zone}`;
      const { status, json } = await operate('POST', '/admin/takedowns', { host, reason: 'r' });
      expect([status, json.host, json.redirects]).toEqual([201, host, 1]);
      expect(await lastEvent()).toMatchObject({ data: { domains: [host], count: 1, reason: 'r' } });
      expect(await mails()).toHaveLength(1);
      expect((await area.changedHosts()).at(-1)).toBe(host);
      expect(await area.served(host)).toMatchObject(gone);
      expect(await area.served(`*.${zone}`)).not.toHaveProperty('gone');
      await operate('DELETE', `/admin/takedowns/${json.id}`);
      expect((await area.changedHosts()).at(-1)).toBe(host);
      expect(await area.served(host)).toBeUndefined();
    });

    it.each<[string, (id: string) => Promise<ApiAnswer>]>([
      ['deletes', (id) => as(owner.token)('DELETE', `/redirects/${id}`)],
      ['disables', (id) => as(owner.token)('PATCH', `/redirects/${id}`, { enabled: false })],
    ])('go on when the owner %s the redirect of the host', async (_what, evade) => {
      const host = `a.${await verifiedZone()}`;
      const { json: own } = await as(owner.token)('POST', '/redirects', {
        fromDomain: host,
        toDomain: 'https://evil.example',
      });
      area.dns.setTxt(own.verification.name, [own.verification.value]);
      await as(owner.token)('POST', '/verify-domain', { domain: host });
      const { json } = await operate('POST', '/admin/takedowns', { host, reason: 'r' });
      expect(json.redirects).toBe(1);
      expect(await area.served(host)).toMatchObject({ id: own.id, gone: true });
      expect((await evade(own.id)).status).toBe(200);
      expect(await area.served(host)).toMatchObject(gone);
      await operate('DELETE', `/admin/takedowns/${json.id}`);
      expect(await area.served(host)).toBeUndefined();
    });

    it('may name a wildcard, also one below another', async () => {
      const zone = await verifiedZone();
      for (const host of [`*.${zone}`, `*.b.${zone}`]) {
        const { status, json } = await operate('POST', '/admin/takedowns', { host, reason: 'r' });
        expect([status, json.host, json.redirects]).toEqual([201, host, 1]);
        expect(await area.served(host)).toMatchObject({ gone: true });
      }
    });
  });

  it.each([
    ['neither host', { reason: 'r' }, 'host'],
    ['both hosts', { host: 'a.example', destinationHost: 'b.example', reason: 'r' }, 'destinationHost'],
    ['a destination with a path', { destinationHost: 'b.example/x', reason: 'r' }, 'destinationHost'],
    ['a public suffix', { host: 'co.uk', reason: 'r' }, 'host'],
    ['no reason', { host: 'a.example' }, 'reason'],
  ])('with %s are refused', async (_what, body, field) => {
    const { status, json } = await operate('POST', '/admin/takedowns', body);
    expect([status, json.error.field]).toEqual([422, field]);
  });
});

describe('a domain that is released', () => {
  it('needs a new proof with a new value, and its owner is told', async () => {
    const { id, fromDomain, verification } = await verified();
    expect((await operate('POST', `/admin/domains/${fromDomain}/release`)).status).toBe(200);
    expect(await lastEvent()).toMatchObject({
      type: 'domain.unverified',
      data: { redirectId: id, domain: fromDomain, reason: 'released' },
    });
    const { json } = await as(owner.token)('GET', `/redirects/${id}`);
    expect(json).toMatchObject({ isVerified: false, status: 'pending' });
    expect(json.verification.value).not.toBe(verification.value);
    expect(await area.served(fromDomain)).toBeUndefined();
    expect((await operate('POST', `/admin/domains/${fromDomain}/release`)).status).toBe(404);
    const { data } = (await operate('GET', '/admin/log?limit=1')).json;
    expect(data).toMatchObject([
      { action: 'domain.release', subject: fromDomain, tokenId: expect.any(String) },
    ]);
  });
});

describe('the log of operators', () => {
  it('is filtered by action, subject, operator and time', async () => {
    const { fromDomain } = await verified();
    await operate('POST', `/admin/domains/${fromDomain}/release`);
    await operate('POST', `/admin/users/${owner.id}/suspend`, { reason: 'a test' });
    await operate('POST', `/admin/users/${owner.id}/resume`);
    const actions = async (query: string) => {
      const { status, json, body } = await operate('GET', `/admin/log?${query}`);
      expect(status, body).toBe(200);
      return json.data.map(({ action, subject }: Record<string, string>) => `${action} ${subject}`);
    };
    expect(await actions(`search=${fromDomain.toUpperCase()}`)).toEqual([`domain.release ${fromDomain}`]);
    expect(await actions('action=user.suspend&limit=1')).toEqual([`user.suspend ${owner.id}`]);
    expect(await actions(`action=domain.release&search=${owner.id}`)).toEqual([]);
    const everything = await actions('limit=200');
    const { data } = (await operate('GET', '/admin/log?limit=1')).json;
    const address = String(data[0].operatorEmail).slice(1).toUpperCase();
    expect(await actions(`limit=200&search=${address}`)).toEqual(everything);
    expect(await actions('since=2000-01-01&limit=200')).toEqual(everything);
    expect(await actions('until=2000-01-01')).toEqual([]);
  });

  it('is searched in a bounded number of rows for each page', async () => {
    const { database } = area.api;
    await database.query(
      `INSERT INTO operator_log (id, at, operator_id, action, subject)
       SELECT 'old' || i, '2020-01-01'::timestamptz - make_interval(secs => i), 'op', 'user.resume',
         CASE WHEN i IN (8, 9, 10, 11) THEN 'rare' ELSE 'other' END FROM generate_series(1, 12) AS i`,
    );
    const pages: string[][] = [];
    let after = { at: '2020-01-01 00:00:00+00', id: '' };
    for (let isLast = false; !isLast; ) {
      const rows = await operatorLog.page(database, after, 2, { search: 'RARE' }, 4);
      const { data, page } = toReadPage(rows, 2, ({ id }) => id, 4);
      pages.push(data);
      isLast = page.nextCursor === null;
      if (page.nextCursor !== null) after = decodeCursor(page.nextCursor);
    }
    expect(pages).toEqual([[], ['old8'], ['old9', 'old10'], ['old11']]);
  });

  it.each([
    ['action=nothing', 'action'],
    ['since=yesterday', 'since'],
    ['since=2026-02-01&until=2026-01-01', 'since'],
  ])('refuses the filter %s', async (query, field) => {
    const { status, json } = await operate('GET', `/admin/log?${query}`);
    expect([status, json.error.field]).toEqual([400, field]);
  });
});

describe('the list of users', () => {
  it('is searched in a bounded number of rows for each page', async () => {
    await area.api.database.query(
      `INSERT INTO users (id, email, created_at)
       SELECT 'many' || n, 'many' || n || CASE WHEN n IN (1, 41000) THEN '@rare.example' ELSE '@many.example' END,
         '2020-01-01'::timestamptz - make_interval(secs => n) FROM generate_series(1, 41000) AS n`,
    );
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, json } = await operate(
        'GET',
        `/admin/users?search=RARE.ex${cursor && `&cursor=${cursor}`}`,
      );
      expect(status).toBe(200);
      pages.push(json.data.map(({ id }: { id: string }) => id));
      cursor = json.page.nextCursor;
    }
    expect(pages).toEqual([['many1'], [], ['many41000']]);
  });
});
