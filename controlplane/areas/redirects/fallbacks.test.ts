import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
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
