import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type DnsServer, startDnsServer } from '../domains/dns-server.fixture.js';
import { type CertificatesApi, startCertificatesApi } from './certificates-api.fixture.js';
import { createFirstSight } from './first-sight.js';

const TARGET = { addresses: ['192.0.2.1'], cname: undefined };

let service: CertificatesApi;
let dns: DnsServer;
beforeAll(async () => {
  [service, dns] = await Promise.all([startCertificatesApi(), startDnsServer()]);
  for (const fromDomain of ['*.late.localhost', '*.room.localhost']) {
    const { token } = await service.api.createUser({ plan: 'business' });
    const body = { fromDomain, toDomain: 'https://new.example' };
    expect((await service.api.call('POST', '/redirects', { token, body })).status).toBe(201);
  }
});
afterAll(async () => {
  await service.close();
  await dns.close();
});

/** @param delaysMs of repeated looks */
function startFirstSight(delaysMs: readonly number[], namesPerWildcard = 20) {
  const firstSight = createFirstSight({
    database: service.database,
    target: TARGET,
    dnsServers: [dns.address],
    namesPerWildcard,
    onEnrolled: () => {},
    logger: pino({ level: 'silent' }),
    recheckDelaysMs: delaysMs,
    intervalMs: 50,
  });
  firstSight.start();
  onTestFinished(() => firstSight.stop());
  return firstSight;
}

const looksAt = (name: string) =>
  dns.queries().filter((query) => query.name === name && query.type === 'A').length;
const isQueued = async (name: string) =>
  (await service.database.query('SELECT FROM certificates WHERE host = $1', [name])).length === 1;

it('a name whose record comes later is looked at again, without another report', async () => {
  const name = 'soon.late.localhost';
  startFirstSight(Array.from({ length: 30 }, () => 1)).report([name]);
  await expect.poll(() => looksAt(name)).toBeGreaterThan(1);
  dns.set(name, { a: TARGET.addresses });
  await expect.poll(() => isQueued(name)).toBe(true);
});

it('a name that never points here is looked at a bounded number of times', async () => {
  const [never, other] = ['never.late.localhost', 'other.late.localhost'];
  const firstSight = startFirstSight([1, 1]);
  firstSight.report([never]);
  await expect.poll(() => looksAt(never)).toBe(3);
  // Each look-up of this name is in a separate round.
  firstSight.report([other]);
  await expect.poll(() => looksAt(other)).toBe(3);
  expect(looksAt(never)).toBe(3);
  expect(await isQueued(never)).toBe(false);
});

it('repeated looks leave room for names that were not looked at yet', async () => {
  // A wildcard with one certificate a week has three look-ups an hour.
  const firstSight = startFirstSight([1, 1, 1, 1], 1);
  firstSight.report(['made-up.room.localhost']);
  await expect.poll(() => looksAt('made-up.room.localhost')).toBe(2);
  dns.set('real.room.localhost', { a: TARGET.addresses });
  firstSight.report(['real.room.localhost']);
  await expect.poll(() => looksAt('real.room.localhost')).toBe(1);
  expect(looksAt('made-up.room.localhost')).toBe(2);
});
