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

const call = (path: string, body: object) => area.api.call('POST', path, { token: user.token, body });

it('a wildcard is created, and proved by a record of its zone', async () => {
  const created = await call('/redirects', {
    fromDomain: '*.Zone.example.',
    toDomain: 'https://new.example',
  });
  expect(created.status, created.body).toBe(201);
  const { verification } = created.json;
  expect(created.json).toMatchObject({
    fromDomain: '*.zone.example',
    isVerified: false,
    verification: { name: '_waymark.zone.example' },
  });
  const before = await call('/verify-domain', { domain: '*.zone.example' });
  expect(before.json).toMatchObject({ domain: '*.zone.example', isVerified: false, required: verification });
  area.dns.setTxt('_waymark.zone.example', [verification.value]);
  expect((await call('/verify-domain', { domain: '*.zone.example' })).json.isVerified).toBe(true);
  expect(await area.served('*.zone.example')).toMatchObject({ id: created.json.id });
  const patched = await area.api.call('PATCH', `/redirects/${created.json.id}`, {
    token: user.token,
    body: { fromDomain: '*.zone.example', note: 'n' },
  });
  expect(patched.status, patched.body).toBe(200);
});

it('a wildcard of a name below localhost is verified at once', async () => {
  const body = { fromDomain: '*.shop.localhost', toDomain: 'https://new.example' };
  expect((await call('/redirects', body)).json).toMatchObject({ isVerified: true, status: 'active' });
  const exact = await call('/redirects', { ...body, fromDomain: 'a.shop.localhost' });
  expect(exact.json).toMatchObject({ isVerified: true });
});

it.each(['*.com', '*', '*.*.example.com', 'a.*.example.com', '*example.com', '*.localhost', '*.127.0.0.1'])(
  'the wildcard %s is refused',
  async (fromDomain) => {
    const answer = await call('/redirects', { fromDomain, toDomain: 'https://new.example' });
    expect([answer.status, answer.json.error.field], answer.body).toEqual([422, 'fromDomain']);
  },
);

it('a wildcard is refused by /add-redirect', async () => {
  const answer = await call('/add-redirect', {
    fromDomain: '*.refused.example',
    toDomain: 'https://new.example',
  });
  expect([answer.status, answer.json.error.field]).toEqual([422, 'fromDomain']);
});
