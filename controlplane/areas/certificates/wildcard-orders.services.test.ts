import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcmeConfig, AcmeDnsConfig } from '../../../shared/config/acme-config.js';
import type { TestUser } from '../../http/api.fixture.js';
import {
  type CertificatesApi,
  openCertificates,
  startCertificatesApi,
  startJobs,
  stopJobs,
} from './certificates-api.fixture.js';
import { createDnsChallenges } from './dns01/dns-challenges.js';
import { NAMED, type NameServer, startNameServer } from './dns01/name-server.fixture.js';
import {
  type ChallengeDns,
  PEBBLE_BIN,
  type Pebble,
  startChallengeDns,
  startPebble,
} from './pebble.fixture.js';

const ACME_ZONE = 'acme.localhost';
const OWN_ZONE = 'own.localhost';
const delegated = (domain: string) =>
  `${createHash('sha256').update(domain).digest('hex').slice(0, 32)}.${ACME_ZONE}`;

describe.skipIf(PEBBLE_BIN === undefined || NAMED === undefined)('certificates of wildcards', () => {
  let names: NameServer;
  let pebble: Pebble;
  let service: CertificatesApi;
  let user: TestUser;
  let dns: AcmeDnsConfig;

  const acmeOf = ({ directoryUrl, caFile }: Pebble): AcmeConfig => ({
    email: 'operator@waymark.example',
    namesPerWildcard: 20,
    authorities: [{ directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined }],
    ...{ caFile, dns },
  });

  beforeAll(async () => {
    const delegations = ['shop', 'killed', 'failing'].map(
      (label) => `_acme-challenge.${label} IN CNAME ${delegated(`${label}.localhost`)}.`,
    );
    delegations.push('_acme-challenge.thief IN CNAME _dmarc.acme.localhost.');
    delegations.push('forbidden IN CAA 0 issue "pebble.letsencrypt.org"', 'forbidden IN CAA 0 issuewild ";"');
    delegations.push(`_acme-challenge.forbidden IN CNAME ${delegated('forbidden.localhost')}.`);
    names = await startNameServer([ACME_ZONE, OWN_ZONE], delegations);
    pebble = await startPebble({ httpPort: 1, dnsServer: names.address });
    dns = {
      ...{ server: names.address, zones: [ACME_ZONE, OWN_ZONE], delegationZone: ACME_ZONE, key: names.key },
      checkServers: [names.address],
    };
    service = await startCertificatesApi({ acme: acmeOf(pebble), dnsServers: [names.address] });
    // A data plane has asked how to answer challenges.
    await service.certificates.answer([]);
    user = await service.api.createUser({ plan: 'business' });
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([pebble.end(), names.end()]);
  });

  async function createWildcard(domain: string): Promise<string> {
    const host = `*.${domain}`;
    const body = { fromDomain: host, toDomain: 'https://new.example' };
    const { status, json } = await service.api.call('POST', '/redirects', { token: user.token, body });
    expect([status, json.isVerified]).toEqual([201, true]);
    return host;
  }

  it('are ordered when the domain delegates its challenges, and the record is removed', async () => {
    const host = await createWildcard('shop.localhost');
    const issued = await service.until(user, host, 'issued');
    const record = {
      type: 'CNAME',
      name: '_acme-challenge.shop.localhost',
      value: delegated('shop.localhost'),
    };
    expect(issued).toMatchObject({
      names: [host],
      source: 'acme',
      dns: { required: [record], found: [record] },
    });
    expect((await service.served(host))?.certificate?.notAfter).toBe(Date.parse(issued.notAfter ?? ''));
    expect(await names.txt(delegated('shop.localhost'))).toEqual([]);
  });

  it('are the only ones: names below wildcards get none at first sight', async () => {
    await createWildcard('first.own.localhost');
    await service.certificates.answer([], ['a.first.own.localhost']);
    await service.until(user, '*.first.own.localhost', 'issued');
    await createWildcard('second.own.localhost');
    await service.until(user, '*.second.own.localhost', 'issued');
    expect(await service.get(user, 'a.first.own.localhost')).toBeUndefined();
  });

  it('are ordered without a delegation in a zone of the operator, beside records of others', async () => {
    const name = '_acme-challenge.site.own.localhost';
    await names.nsupdate(`zone ${OWN_ZONE}`, `update add ${name}. 30 TXT "of another client"`);
    const host = await createWildcard('site.own.localhost');
    await service.until(user, host, 'issued');
    expect(await names.txt(name)).toEqual(['of another client']);
  });

  it.each([
    ['without the delegation', 'plain.localhost'],
    ['that delegates to another name of the zone', 'thief.localhost'],
  ])('%s wait, with an instruction, and no record is changed', async (_what, domain) => {
    const host = await createWildcard(domain);
    await expect.poll(async () => (await service.get(user, host))?.lastError?.code).toBe('DNS_NOT_POINTED');
    const waiting = await service.get(user, host);
    expect(waiting).toMatchObject({
      state: 'waiting_for_dns',
      lastError: {
        message: expect.stringContaining(
          `needs the record _acme-challenge.${domain} CNAME ${delegated(domain)}: add it`,
        ),
      },
    });
    expect(await names.txt('_dmarc.acme.localhost')).toEqual([]);
  });

  it('that CAA does not permit for wildcards are not ordered', async () => {
    const host = await createWildcard('forbidden.localhost');
    const { lastError } = await service.until(user, host, 'failed');
    expect(lastError).toMatchObject({
      code: 'CAA_FORBIDS',
      message: expect.stringContaining('0 issuewild "pebble'),
    });
  });

  it('leave no record behind when the validation fails, or an earlier process was killed', async () => {
    await stopJobs(service.certificates);
    // This authority asks a name server that does not have the records.
    const other: ChallengeDns = await startChallengeDns();
    const failing = await startPebble({ httpPort: 1, dnsServer: other.address });
    const acme = { ...acmeOf(failing), caFile: pebble.caFile };
    const ordering = await openCertificates(service.database, { acme, dnsServers: [names.address] });
    try {
      const host = await createWildcard('failing.localhost');
      startJobs(ordering);
      const { lastError } = await service.until(user, host, 'failed');
      expect(lastError?.code).toBe('VALIDATION_FAILED');
      expect(await names.txt(delegated('failing.localhost'))).toEqual([]);
    } finally {
      await stopJobs(ordering);
      await Promise.all([other.end(), failing.end()]);
    }
    const name = delegated('killed.localhost');
    await names.nsupdate(`zone ${ACME_ZONE}`, `update add ${name}. 30 TXT "left behind"`);
    const host = await createWildcard('killed.localhost');
    await service.database.query(
      `INSERT INTO certificates (host, user_id, source, state, next_attempt_at, pending_order)
       VALUES ($1, $2, 'acme', 'ordering', now(), $3)`,
      [
        host,
        user.id,
        JSON.stringify({ directory: '', url: null, record: { zone: ACME_ZONE, name, value: 'left behind' } }),
      ],
    );
    const next = await openCertificates(service.database, {
      acme: acmeOf(pebble),
      dnsServers: [names.address],
    });
    startJobs(next);
    await service.until(user, host, 'issued');
    await stopJobs(next);
    expect(await names.txt(name)).toEqual([]);
  });

  it('wait for all name servers of the zone, but not without end', async () => {
    const other = await startNameServer([]);
    const challenges = createDnsChallenges({
      config: { ...dns, checkServers: [names.address, other.address] },
      ...{ dnsServers: undefined, logger: pino({ level: 'silent' }), propagationMs: 100 },
    });
    const record = { zone: ACME_ZONE, name: `slow.${ACME_ZONE}`, value: 'x' };
    await expect(challenges.publish(record, new AbortController().signal)).rejects.toThrow(
      `The name servers ${other.address} of ${ACME_ZONE} do not have the record`,
    );
    await challenges.remove(record);
    expect(await names.txt(record.name)).toEqual([]);
    await other.end();
  });
});
