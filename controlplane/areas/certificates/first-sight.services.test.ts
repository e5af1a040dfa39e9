import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type CertificatesApi, startCertificatesApi } from './certificates-api.fixture.js';
import {
  type ChallengeDns,
  type ChallengeListener,
  PEBBLE_BIN,
  type Pebble,
  startChallengeDns,
  startChallengeListener,
  startPebble,
} from './pebble.fixture.js';

const PER_WILDCARD = 2;

describe.skipIf(PEBBLE_BIN === undefined)('certificates of names below wildcards', () => {
  let dns: ChallengeDns;
  let listener: ChallengeListener;
  let pebble: Pebble;
  let service: CertificatesApi;
  let user: TestUser;

  beforeAll(async () => {
    [dns, listener] = await Promise.all([startChallengeDns(), startChallengeListener()]);
    pebble = await startPebble({ httpPort: listener.port, dnsServer: dns.address });
    const { directoryUrl, caFile } = pebble;
    service = await startCertificatesApi({
      acme: {
        ...{ email: 'operator@waymark.example', namesPerWildcard: PER_WILDCARD, caFile },
        authorities: [{ directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined }],
      },
      target: { addresses: ['127.0.0.1'], cname: undefined },
      dnsServers: [dns.address],
    });
    listener.thumbprint = (await service.certificates.answer([])).challengeThumbprints[0] ?? '';
    user = await service.api.createUser({ plan: 'business' });
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([dns.end(), listener.close(), pebble.end()]);
  });

  async function createRedirect(host: string, owner = user): Promise<string> {
    const body = { fromDomain: host, toDomain: 'https://new.example' };
    const { status, json } = await service.api.call('POST', '/redirects', { token: owner.token, body });
    expect([status, json.isVerified]).toEqual([201, true]);
    return json.id;
  }

  /** Reports names, as a data plane does after handshakes. */
  const report = (...names: string[]) => service.certificates.answer([], names);
  const named = async (wildcard: string) =>
    Object.keys((await service.served(wildcard))?.namedCertificates ?? {}).sort();
  const queued = (zone: string) =>
    service.database
      .query<{ host: string }>('SELECT host FROM certificates WHERE host LIKE $1 ORDER BY host', [
        `%.${zone}`,
      ])
      .then((rows) => rows.map(({ host }) => host));

  it('are ordered at the first handshake, published with the wildcard, and shown to its owner', async () => {
    const id = await createRedirect('*.shop.localhost');
    await report(
      'a.shop.localhost',
      'deep.b.shop.localhost',
      'shop.localhost',
      'a.nobody.localhost',
      'A',
      '..',
    );
    const issued = await service.until(user, 'a.shop.localhost', 'issued');
    expect(issued).toMatchObject({
      ...{ names: ['a.shop.localhost'], source: 'acme' },
      dns: { required: [{ type: 'A', name: 'a.shop.localhost', value: '127.0.0.1' }] },
    });
    expect(await named('*.shop.localhost')).toEqual(['a.shop.localhost']);
    expect(
      (await service.served('*.shop.localhost'))?.namedCertificates?.['a.shop.localhost']?.notAfter,
    ).toBe(Date.parse(issued.notAfter ?? ''));
    const { token } = user;
    const { json } = await service.api.call('GET', '/certificates?search=shop', { token });
    expect(json.data.map(({ host }: { host: string }) => host)).toEqual(['a.shop.localhost']);
    const stranger = await service.api.createUser();
    const foreign = await service.api.call('GET', '/certificates/a.shop.localhost', {
      token: stranger.token,
    });
    expect(foreign.status).toBe(403);
    expect(await queued('shop.localhost')).toEqual(['a.shop.localhost']);

    await service.api.call('DELETE', '/certificates/a.shop.localhost', { token });
    expect(await named('*.shop.localhost')).toEqual([]);
    await service.api.call('POST', '/certificates/a.shop.localhost/retry', { token });
    await service.until(user, 'a.shop.localhost', 'issued');
    expect(await named('*.shop.localhost')).toEqual(['a.shop.localhost']);

    await service.api.call('DELETE', `/delete-redirect/${id}`, { token });
    const gone = await service.api.call('GET', '/certificates/a.shop.localhost', { token });
    expect(gone.status).toBe(404);
  });

  it('go over to a redirect of their own', async () => {
    await createRedirect('*.moving.localhost');
    await report('a.moving.localhost');
    await service.until(user, 'a.moving.localhost', 'issued');
    const before = (await service.served('*.moving.localhost'))?.namedCertificates?.['a.moving.localhost'];
    await createRedirect('a.moving.localhost');
    await expect.poll(() => named('*.moving.localhost')).toEqual([]);
    expect((await service.served('a.moving.localhost'))?.certificate).toEqual(before);
    expect(before).toBeDefined();
  });

  it('are not ordered for names that point elsewhere, have a redirect, or do not want HTTPS', async () => {
    await createRedirect('*.strict.localhost');
    await dns.setA('elsewhere.strict.localhost', ['192.0.2.7']);
    await createRedirect('own.strict.localhost');
    await service.until(user, 'own.strict.localhost', 'issued');
    const { token } = user;
    const body = { fromDomain: '*.plain.localhost', toDomain: 'https://new.example', httpsMode: 'off' };
    expect((await service.api.call('POST', '/redirects', { token, body })).status).toBe(201);
    await report('elsewhere.strict.localhost', 'own.strict.localhost', 'a.plain.localhost');
    await report('here.strict.localhost');
    await service.until(user, 'here.strict.localhost', 'issued');
    expect(await queued('strict.localhost')).toEqual(['here.strict.localhost', 'own.strict.localhost']);
    expect(await queued('plain.localhost')).toEqual([]);
    expect(listener.validated.has('elsewhere.strict.localhost')).toBe(false);
  });

  it('are limited per wildcard and per owner, whatever names one client makes up', async () => {
    const flooded = await service.api.createUser({ plan: 'business' });
    const zones = ['m', 'n', 'o', 'p', 'q', 'r', 's'].map((label) => `${label}.flood.localhost`);
    for (const zone of zones) await createRedirect(`*.${zone}`, flooded);
    await createRedirect('*.quiet.localhost');
    for (const zone of zones) await report(...Array.from({ length: 30 }, (_, index) => `x${index}.${zone}`));
    await report('a.quiet.localhost');
    await service.until(user, 'a.quiet.localhost', 'issued');
    await expect.poll(async () => (await queued('flood.localhost')).length).toBe(5 * PER_WILDCARD);
    // The last name of the flood was looked at before this one.
    await report('b.quiet.localhost');
    await service.until(user, 'b.quiet.localhost', 'issued');
    for (const zone of zones) expect((await queued(zone)).length).toBeLessThanOrEqual(PER_WILDCARD);
    expect(await queued('flood.localhost')).toHaveLength(5 * PER_WILDCARD);
  });
});
