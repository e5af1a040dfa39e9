import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { releaseDomain } from './domain-ownership.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const proofOf = async (domain: string, { token } = user) =>
  (await area.api.call('GET', `/domains/${domain}/proof`, { token })).json;

async function create(fromDomain: string, { token } = user) {
  const body = { fromDomain, toDomain: 'https://new.example' };
  const { status, json } = await area.api.call('POST', '/redirects', { token, body });
  expect(status).toBe(201);
  return json;
}

const verify = async (domain: string, { token } = user) =>
  (await area.api.call('POST', '/verify-domain', { token, body: { domain } })).json;

const isVerified = async (id: string) =>
  (await area.api.call('GET', `/redirects/${id}`, { token: user.token })).json.isVerified;

it('a zone has one record for all its hosts, which differs by user', async () => {
  const proof = await proofOf('www.Shop.one.co.uk');
  expect(proof).toEqual({
    zone: 'one.co.uk',
    name: '_waymark.one.co.uk',
    zoneValue: expect.stringMatching(/^waymark-verify=[0-9a-f]{40}$/),
  });
  expect(await proofOf('one.co.uk')).toEqual(proof);
  expect(await proofOf('*.shop.one.co.uk')).toEqual(proof);
  expect((await proofOf('one.co.uk', other)).zoneValue).not.toBe(proof.zoneValue);
  expect((await proofOf('other.co.uk')).zoneValue).not.toBe(proof.zoneValue);
});

it('a name that is no domain: 400', async () => {
  const answer = await area.api.call('GET', '/domains/co.uk/proof', { token: user.token });
  expect([answer.status, answer.json.error]).toMatchObject([400, { field: 'domain' }]);
});

it('the record proves hosts, wildcards and the domain itself, beside other records', async () => {
  const { name, zoneValue } = await proofOf('two.example');
  const hosts = ['two.example', 'a.b.two.example', '*.two.example', '*.c.two.example'];
  for (const host of hosts) await create(host);
  expect(await verify('a.b.two.example')).toMatchObject({ isVerified: false });
  area.dns.setTxt(name, ['something else', zoneValue]);
  for (const host of hosts) {
    expect(await verify(host)).toMatchObject({ domain: host, isVerified: true });
  }
});

it('the record of somebody else proves nothing', async () => {
  const { name, zoneValue } = await proofOf('three.example', other);
  await proofOf('three.example');
  await create('a.three.example');
  area.dns.setTxt(name, [zoneValue]);
  expect(await verify('a.three.example')).toMatchObject({ isVerified: false });
});

it('many hosts of a zone cost one lookup', async () => {
  const { name, zoneValue } = await proofOf('four.example');
  const domains = Array.from({ length: 40 }, (_, at) => `h${at}.four.example`);
  for (const domain of domains) await create(domain);
  area.dns.setTxt(name, [zoneValue]);
  const before = area.dns.queries().length;
  const { json } = await area.api.call('POST', '/verify-domains', { token: user.token, body: { domains } });
  expect(json.results.every((one: { isVerified: boolean }) => one.isVerified)).toBe(true);
  expect(area.dns.queries().slice(before)).toMatchObject([{ name }]);
});

it('a record that was added just now counts, though the zone was looked up before', async () => {
  const { name, zoneValue } = await proofOf('five.example');
  await create('a.five.example');
  const body = { domains: ['a.five.example'] };
  const call = () => area.api.call('POST', '/verify-domains', { token: user.token, body });
  expect((await call()).json.results).toMatchObject([{ isVerified: false }]);
  area.dns.setTxt(name, [zoneValue]);
  expect((await call()).json.results).toMatchObject([{ isVerified: true }]);
});

it('background checks of pending domains use it', async () => {
  const { name, zoneValue } = await proofOf('six.example');
  const { id } = await create('a.six.example');
  area.dns.setTxt(name, [zoneValue]);
  await area.api.database.query('UPDATE redirects SET next_check_at = now() WHERE id = $1', [id]);
  await area.recheck.runRound();
  expect(await isVerified(id)).toBe(true);
});

const proofState = async (id: string) => {
  const { database } = area.api;
  await database.query('UPDATE domain_proofs SET next_check_at = now() WHERE redirect_id = $1', [id]);
  await area.proofs.runRound();
  const [row] = await database.query<{ missing: boolean }>(
    'SELECT missing_since IS NOT NULL AS missing FROM domain_proofs WHERE redirect_id = $1',
    [id],
  );
  return row?.missing;
};

it('daily checks of verified domains use it', async () => {
  const { name, zoneValue } = await proofOf('seven.example');
  const { id } = await create('a.seven.example');
  area.dns.setTxt(name, [zoneValue]);
  await verify('a.seven.example');
  expect(await proofState(id)).toBe(false);
});

it('a daily check finds the record gone', async () => {
  const { name, zoneValue } = await proofOf('eight.example');
  const { id } = await create('a.eight.example');
  area.dns.setTxt(name, [zoneValue]);
  await verify('a.eight.example');
  area.dns.setTxt(name, []);
  expect(await proofState(id)).toBe(true);
});

it('a zone whose name servers fail does not count as one without the record', async () => {
  const { name, zoneValue } = await proofOf('nine.example');
  const { id } = await create('a.nine.example');
  area.dns.setTxt(name, [zoneValue]);
  await verify('a.nine.example');
  area.dns.set(name, 'servfail');
  expect(await proofState(id)).toBe(false);
});

it('a domain that the operator released needs a new record', async () => {
  const before = await proofOf('ten.example');
  const unrelated = await proofOf('eleven.example');
  await create('a.ten.example');
  area.dns.setTxt(before.name, [before.zoneValue]);
  expect(await verify('a.ten.example')).toMatchObject({ isVerified: true });
  await area.api.database.transaction((tx) => releaseDomain(tx, () => {}, 'a.ten.example'));
  expect(await verify('a.ten.example')).toMatchObject({ isVerified: false });
  const after = await proofOf('ten.example');
  expect(after.zoneValue).not.toBe(before.zoneValue);
  expect(await proofOf('eleven.example')).toEqual(unrelated);
  area.dns.setTxt(after.name, [after.zoneValue]);
  expect(await verify('a.ten.example')).toMatchObject({ isVerified: true });
});
