import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createRuleRoutes } from '../rules/rule-routes.js';
import { createRuleService } from '../rules/rule-service.js';
import { createRedirectService } from './redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi(({ database, outbox }) => {
    const redirects = createRedirectService({ database, outbox });
    const service = createRuleService({ database, outbox, redirects });
    return [{ routes: [createRuleRoutes(service, async () => new Map())], jobs: [] }];
  });
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });
const setFallback = (url: string | null) => call('PUT', '/user/fallback', { url });

it('hosts of disabled redirects lead to the fallback of their owner, and only they', async () => {
  const made = await Promise.all(
    ['on', 'off'].map((name) =>
      area.createVerified(user.token, { fromDomain: `${name}.example`, toDomain: 'https://new.example' }),
    ),
  );
  const [, off] = made.map(({ id }) => id);
  await call('POST', '/redirects', { fromDomain: 'pending.example', toDomain: 'https://new.example' });
  await call('POST', `/redirects/${off}/rules`, {
    name: 'rule',
    type: 'force',
    action: { type: 'redirect', url: 'https://rule.example' },
    status: 'active',
  });
  await call('PATCH', `/redirects/${off}`, { enabled: false, httpsMode: 'upgrade', appendQuery: { a: '1' } });
  expect(await area.served('off.example')).toBeUndefined();
  const before = await area.changedHosts();

  expect(await setFallback('https://home.example/moved')).toMatchObject({
    status: 200,
    json: { url: 'https://home.example/moved' },
  });
  expect((await call('GET', '/user/fallback')).json).toEqual({ url: 'https://home.example/moved' });
  expect((await area.changedHosts()).slice(before.length)).toEqual(['off.example']);
  expect(await area.served('off.example')).toEqual({
    id: off,
    host: 'off.example',
    destination: 'https://home.example/moved',
    redirectType: 'temporary',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 0,
    endsAt: 1,
    afterEnd: { url: 'https://home.example/moved' },
    httpsMode: 'upgrade',
  });
  expect(await area.served('on.example')).toMatchObject({ destination: 'https://new.example' });
  expect(await area.served('pending.example')).toBeUndefined();
  await setFallback('https://home.example/moved');
  expect((await area.changedHosts()).slice(before.length), 'the same again').toEqual(['off.example']);

  await call('PATCH', `/redirects/${off}`, { enabled: true });
  expect(await area.served('off.example')).toMatchObject({ destination: 'https://new.example' });
  await call('PATCH', `/redirects/${off}`, { enabled: false });
  await setFallback(null);
  const recorded = await area.api.database.query(
    "SELECT summary, by_user_id AS by FROM audit_log WHERE action = 'account.fallback_changed' ORDER BY id",
  );
  expect(recorded).toEqual([
    { summary: 'Set the fallback of disabled redirects to https://home.example/moved', by: user.id },
    { summary: 'Removed the fallback of disabled redirects', by: user.id },
  ]);
  expect((await call('GET', '/user/fallback')).json).toEqual({ url: null });
  expect(await area.served('off.example')).toBeUndefined();
});

it.each([[''], ['ftp://home.example'], [7]])('a fallback of %j is refused', async (url) => {
  expect(await call('PUT', '/user/fallback', { url })).toMatchObject({
    status: 422,
    json: { error: { code: 'VALIDATION_ERROR', field: 'url' } },
  });
});

describe('a loop through the fallback is refused', () => {
  const enable = (id: string, enabled: boolean) => call('PATCH', `/redirects/${id}`, { enabled });
  const loop = (field: string, path: string) => ({
    status: 422,
    json: { error: { code: 'REDIRECT_LOOP', field, message: expect.stringContaining(path) } },
  });
  const make = (fromDomain: string, toDomain: string, token = user.token) =>
    area.createVerified(token, { fromDomain, toDomain });

  it('when the fallback is set, also through redirects of others', async () => {
    const other = await area.api.createUser({ plan: 'business' });
    const a = await make('a.set.example', 'https://new.example');
    await make('b.set.example', 'https://c.set.example/x');
    await make('c.set.example', 'https://a.set.example', other.token);
    await setFallback(null);
    await enable(a.id, false);
    const path = 'a.set.example → b.set.example → c.set.example → a.set.example';
    expect(await setFallback('https://b.set.example/y')).toMatchObject(loop('url', path));
    expect(await setFallback('https://a.set.example/y')).toMatchObject(
      loop('url', 'a.set.example → a.set.example'),
    );
    expect((await call('GET', '/user/fallback')).json).toEqual({ url: null });
    await enable(a.id, true);
    expect((await setFallback('https://b.set.example/y')).status).toBe(200);
  });

  it('when a redirect is disabled: alone, with others and in bulk', async () => {
    const a = await make('a.off.example', 'https://new.example');
    await make('b.off.example', 'https://a.off.example');
    const free = await make('free.off.example', 'https://new.example');
    await setFallback('https://b.off.example');
    const refused = loop('enabled', 'a.off.example → b.off.example → a.off.example');
    const answers = await Promise.all([enable(a.id, false), enable(free.id, false)]);
    expect(answers).toMatchObject([refused, { status: 200 }]);
    const operations = [a, free].map(({ id }) => ({ op: 'update', id, enabled: false, note: 'bulk' }));
    const { json } = await call('POST', '/redirects/bulk?mode=best_effort', { operations });
    expect(json.results).toMatchObject([
      { status: 'failed', error: { code: 'REDIRECT_LOOP', field: 'enabled' } },
      { status: 'updated' },
    ]);
    expect((await call('GET', `/redirects/${a.id}`)).json.enabled).toBe(true);
    await setFallback('https://elsewhere.example');
    expect((await enable(a.id, false)).status).toBe(200);
  });

  it('when a disabled redirect is created with a local name, verified or restored', async () => {
    await make('b.new.example', 'https://a.new.example');
    await setFallback('https://b.new.example');
    const disabled = { toDomain: 'https://new.example', enabled: false };
    const { json } = await call('POST', '/redirects', { ...disabled, fromDomain: 'a.new.example' });
    area.dns.setTxt(json.verification.name, [json.verification.value]);
    const verified = await call('POST', '/verify-domain', { domain: 'a.new.example' });
    expect(verified.json).toMatchObject({
      isVerified: false,
      status: { detail: expect.stringContaining('a.new.example → b.new.example → a.new.example') },
    });
    expect(await area.served('a.new.example')).toBeUndefined();

    await make('c.new.example', 'https://a.localhost');
    await setFallback('https://c.new.example');
    expect(await call('POST', '/redirects', { ...disabled, fromDomain: 'a.localhost' })).toMatchObject(
      loop('enabled', 'a.localhost → c.new.example → a.localhost'),
    );
    await setFallback(null);
    const local = await call('POST', '/redirects', { ...disabled, fromDomain: 'a.localhost' });
    await call('DELETE', `/redirects/${local.json.id}`);
    await setFallback('https://c.new.example');
    expect(await call('POST', `/redirects/${local.json.id}/restore`)).toMatchObject(
      loop('enabled', 'a.localhost → c.new.example → a.localhost'),
    );
  });

  describe('also where only a rule on the way closes it', () => {
    const addRule = (id: string, url: string, conditions: readonly object[] = []) =>
      call('POST', `/redirects/${id}/rules`, {
        name: 'rule',
        type: 'force',
        action: { type: 'redirect', url },
        conditions,
        status: 'active',
      });
    const path = (name: string) =>
      expect.stringMatching(new RegExp(`(a|b)\\.${name}\\.example → (a|b)\\.${name}\\.example → `));
    const refused = (field: string, name: string) => ({
      status: 422,
      json: { error: { code: 'REDIRECT_LOOP', field, message: path(name) } },
    });
    const makeBoth = async (name: string) => {
      await setFallback(null);
      const a = await make(`a.${name}.example`, 'https://new.example');
      const b = await make(`b.${name}.example`, 'https://new.example');
      return { a, b, toA: `https://a.${name}.example`, toB: `https://b.${name}.example` };
    };

    it('when the fallback is set', async () => {
      const { a, b, toA, toB } = await makeBoth('ruleset');
      expect((await addRule(b.id, toA)).status).toBe(201);
      await enable(a.id, false);
      expect(await setFallback(toB)).toMatchObject(refused('url', 'ruleset'));
      expect((await call('GET', '/user/fallback')).json).toEqual({ url: null });
      await enable(b.id, false);
      expect((await setFallback('https://new.example')).status).toBe(200);
    });

    it('when a redirect is disabled, alone and in bulk', async () => {
      const { a, b, toA, toB } = await makeBoth('ruleoff');
      await addRule(b.id, toA);
      expect((await setFallback(toB)).status).toBe(200);
      expect(await enable(a.id, false)).toMatchObject(refused('enabled', 'ruleoff'));
      const operations = [{ op: 'update', id: a.id, enabled: false }];
      const { json } = await call('POST', '/redirects/bulk?mode=best_effort', { operations });
      expect(json.results).toMatchObject([
        { status: 'failed', error: { code: 'REDIRECT_LOOP', field: 'enabled' } },
      ]);
    });

    it('when the rule is created, unless it may let visitors out', async () => {
      const { a, b, toA, toB } = await makeBoth('ruleadd');
      await setFallback(toB);
      await enable(a.id, false);
      expect(await addRule(b.id, toA)).toMatchObject(refused('action.url', 'ruleadd'));
      const byPath = { attribute: 'url_path', operator: 'equals', value: '/x' };
      expect((await addRule(b.id, toA, [byPath])).status).toBe(201);
    });

    it('when the disabled redirect is verified', async () => {
      const { b, toB } = await makeBoth('rulenew');
      const { json } = await call('POST', '/redirects', {
        fromDomain: 'c.rulenew.example',
        toDomain: 'https://new.example',
        enabled: false,
      });
      await addRule(b.id, 'https://c.rulenew.example');
      await setFallback(toB);
      area.dns.setTxt(json.verification.name, [json.verification.value]);
      const verified = await call('POST', '/verify-domain', { domain: 'c.rulenew.example' });
      expect(verified.json).toMatchObject({
        isVerified: false,
        status: { detail: expect.stringContaining('c.rulenew.example → ') },
      });
    });

    it('not when the rule belongs to a redirect that is disabled and serves nobody', async () => {
      const { a, b, toA, toB } = await makeBoth('ruleno');
      await addRule(b.id, toA);
      await enable(a.id, false);
      await enable(b.id, false);
      // Both get the fallback, so b redirects to itself: here its own destination decides, not the rule.
      expect(await setFallback(toB)).toMatchObject({ status: 422 });
      expect((await setFallback('https://new.example')).status).toBe(200);
    });
  });

  it('when a redirect on the way gets another destination', async () => {
    const a = await make('a.way.example', 'https://new.example');
    const b = await make('b.way.example', 'https://new.example');
    await setFallback('https://b.way.example');
    await enable(a.id, false);
    expect(await call('PATCH', `/redirects/${b.id}`, { toDomain: 'https://a.way.example' })).toMatchObject(
      loop('toDomain', 'b.way.example → a.way.example → b.way.example'),
    );
  });
});

it('a redirect has notFound, which a patch of null removes', async () => {
  const { json } = await call('POST', '/redirects', {
    fromDomain: 'missing.example',
    toDomain: 'https://new.example',
    notFound: { url: 'https://new.example/404' },
  });
  expect(json.notFound).toEqual({ url: 'https://new.example/404' });
  const changed = await call('PUT', `/update/${json.id}`, { toDomain: 'https://newer.example' });
  expect(changed.json.notFound).toEqual({ url: 'https://new.example/404' });
  const refused = await call('PATCH', `/redirects/${json.id}`, { notFound: { url: 'nowhere' } });
  expect(refused).toMatchObject({ status: 422, json: { error: { field: 'notFound.url' } } });
  expect((await call('PATCH', `/redirects/${json.id}`, { notFound: null })).json.notFound).toBeNull();
});
