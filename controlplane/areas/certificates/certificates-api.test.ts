import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateSealing } from '../../../shared/certificates/certificate-sealing.js';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import { deriveInternalToken } from '../../../shared/config/internal-token.js';
import type { TestUser } from '../../http/api.fixture.js';
import {
  type CertificatesApi,
  openCertificates,
  SECRET,
  startCertificatesApi,
  startJobs,
  stopJobs,
} from './certificates-api.fixture.js';

const HOST = 'own.localhost';
const DAY_MS = 86_400_000;
const authority = createTestAuthority();

let service: CertificatesApi;
let user: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  service = await startCertificatesApi({
    target: { addresses: ['192.0.2.1', '2001:db8::1'], cname: undefined },
  });
  user = await service.api.createUser({ plan: 'business' });
  stranger = await service.api.createUser();
  const body = { url: 'https://hooks.example.com/', events: ['certificate.expiring'] };
  await service.api.call('POST', '/webhook-endpoints', { token: user.token, body });
  await service.createVerified(user, HOST);
});
afterAll(() => service.close());

const call = (method: string, url: string, body?: object, token = user.token) =>
  service.api.call(method, url, { token, ...(body && { body }) });
const upload = (host: string, body: object) => call('PUT', `/certificates/${host}`, body);

describe('an uploaded certificate', () => {
  it('is shown without its key, published, and given to data planes encrypted', async () => {
    expect((await call('GET', `/certificates/${HOST}`)).status).toBe(404);
    const material = authority.issue([HOST, 'www.own.localhost']);
    const { status, json, body } = await upload(HOST, material);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...{ host: HOST, state: 'issued', source: 'uploaded', issuer: 'Test Intermediate' },
      ...{ notBefore: expect.any(String), notAfter: expect.any(String) },
      ...{ names: [HOST, 'www.own.localhost'], lastError: null, nextAttemptAt: null },
      dns: {
        required: [
          { type: 'A', name: HOST, value: '192.0.2.1' },
          { type: 'AAAA', name: HOST, value: '2001:db8::1' },
        ],
        found: [],
      },
      warnings: [
        { code: 'UNTRUSTED_ISSUER', message: expect.stringMatching(/Test Root\) is no public root/) },
      ],
    });
    expect(body).not.toContain('PRIVATE KEY');
    expect((await call('GET', `/certificates/${HOST}`)).json).toEqual(json);

    const { dns: _dns, warnings: _warnings, ...certificate } = json;
    const [redirect] = (await call('GET', '/get-redirects/me')).json;
    expect(redirect).toMatchObject({ fromDomain: HOST, certificate });
    expect((await call('GET', `/redirects/${redirect.id}`)).json.certificate).toEqual(certificate);
    expect((await call('GET', '/redirects?fields=certificate')).json.data).toEqual([{ certificate }]);
    expect((await call('POST', '/verify-domain', { domain: HOST })).json.certificateStatus).toBe('issued');

    const { fingerprint = '', notAfter } = (await service.served(HOST))?.certificate ?? {};
    expect(notAfter).toBe(Date.parse(json.notAfter));
    const answer = await service.api.call('POST', '/internal/certificates', {
      headers: { authorization: `Bearer ${deriveInternalToken(SECRET)}` },
      body: { fingerprints: [fingerprint] },
    });
    expect(answer.json.challengeThumbprints).toEqual([]);
    const opened = createCertificateSealing(SECRET).open(fingerprint, answer.json.certificates[0].sealed);
    expect(opened.privateKey.trim()).toBe(material.privateKey.trim());
    expect(opened.certificate.trim()).toBe(material.certificate.trim());
    const rows = await service.database.query('SELECT * FROM certificates');
    expect(JSON.stringify(rows)).not.toContain('PRIVATE');
  });

  it.each([
    [
      'another host',
      authority.issue(['other.example']),
      'certificate',
      /names other\.example, and must name own/,
    ],
    ['the past', authority.issue([HOST], { notAfter: Date.now() - DAY_MS }), 'certificate', /expired on/],
    [
      'the wrong order',
      (({ certificate, privateKey }) => ({
        certificate: certificate
          .split(/(?<=-----END CERTIFICATE-----\n)/)
          .reverse()
          .join(''),
        privateKey,
      }))(authority.issue([HOST])),
      'certificate',
      /must begin with the certificate of the host/,
    ],
    [
      'another key',
      { ...authority.issue([HOST]), privateKey: authority.issue([HOST]).privateKey },
      'privateKey',
      /does not belong to the certificate/,
    ],
    ['no key', { certificate: 'x' }, 'privateKey', /./],
  ])('of %s is refused, and the field is named', async (_what, body, field, message) => {
    expect(await upload(HOST, body)).toMatchObject({
      status: 422,
      json: { error: { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message) } },
    });
  });

  it('belongs to the owner of the redirect', async () => {
    for (const [method, url, body] of [
      ['GET', `/certificates/${HOST}`],
      ['PUT', `/certificates/${HOST}`, authority.issue([HOST])],
      ['DELETE', `/certificates/${HOST}`],
      ['POST', `/certificates/${HOST}/retry`],
    ] as const) {
      expect((await call(method, url, body, stranger.token)).json.error.code).toBe('FORBIDDEN');
      expect((await call(method, url.replace(HOST, 'nobody.example'), body)).json.error.code).toBe(
        'NOT_FOUND',
      );
    }
    expect((await call('GET', '/certificates', undefined, stranger.token)).json.data).toEqual([]);
    expect((await call('GET', '/certificates/not%20a%20host')).json.error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'host',
    });
  });

  it('is listed by host, in pages', async () => {
    for (const host of ['a.localhost', 'z.localhost']) {
      await service.createVerified(user, host);
      expect((await upload(host, authority.issue([host]))).status).toBe(200);
    }
    const first = (await call('GET', '/certificates?limit=2')).json;
    expect(first.data.map(({ host }: { host: string }) => host)).toEqual(['a.localhost', HOST]);
    expect(first.page).toEqual({ limit: 2, nextCursor: expect.any(String) });
    const second = (await call('GET', `/certificates?limit=2&cursor=${first.page.nextCursor}`)).json;
    expect(second.data.map(({ host }: { host: string }) => host)).toEqual(['z.localhost']);
    expect(second.page.nextCursor).toBeNull();
    expect((await call('GET', '/certificates?cursor=%25')).json.error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'cursor',
    });
    expect((await call('GET', '/certificates?limit=201')).status).toBe(400);
  });

  it('is found by a part of its host and by state, and counted', async () => {
    const hosts = async (query: string) => {
      const { json } = await call('GET', `/certificates?${query}`);
      return json.data.map(({ host }: { host: string }) => host);
    };
    expect(await hosts('search=OWN.')).toEqual([HOST]);
    expect(await hosts('search=%25')).toEqual([]);
    expect((await call('GET', '/certificates?search=%00')).status).toBeLessThan(500);
    expect(await hosts('state=issued&search=localhost')).toEqual(['a.localhost', HOST, 'z.localhost']);
    expect(await hosts('state=failed')).toEqual([]);
    const { json } = await call('GET', '/certificates?count=true&limit=1');
    expect(json).toMatchObject({ total: 3, facets: { state: { issued: 3 } } });
    expect((await call('GET', '/certificates?count=true&state=failed')).json).toMatchObject({
      ...{ total: 0, facets: { state: {} } },
    });
    expect((await call('GET', '/certificates?state=lost')).json.error).toMatchObject({ field: 'state' });
  });

  it('has an entity tag, and another one is not replaced or deleted unseen', async () => {
    const host = 'tagged.localhost';
    await service.createVerified(user, host);
    const { headers } = await upload(host, authority.issue([host]));
    const etag = String(headers.etag);
    const send = (method: string, name: string, tag: string, body?: object) =>
      service.api.call(method, `/certificates/${host}`, {
        ...{ token: user.token, headers: { [name]: tag } },
        ...(body && { body }),
      });
    expect((await send('GET', 'if-none-match', etag)).status).toBe(304);
    expect((await send('PUT', 'if-match', etag, authority.issue([host]))).status).toBe(200);
    expect((await send('GET', 'if-none-match', etag)).status).toBe(200);
    for (const [method, body] of [['PUT', authority.issue([host])], ['DELETE']] as const) {
      expect((await send(method, 'if-match', etag, body)).json.error.code).toBe('PRECONDITION_FAILED');
    }
    const list = await call('GET', '/certificates');
    const known = { 'if-none-match': String(list.headers.etag) };
    expect(
      (await service.api.call('GET', '/certificates', { token: user.token, headers: known })).status,
    ).toBe(304);
    expect((await call('DELETE', `/certificates/${host}`)).status).toBe(200);
  });

  it('is announced once when it expires soon', async () => {
    const host = 'soon.localhost';
    await service.createVerified(user, host);
    const times = { notBefore: Date.now() - 60 * DAY_MS, notAfter: Date.now() + 10 * DAY_MS };
    await upload(host, authority.issue([host], times));
    // Each start of the jobs begins with a round.
    for (let round = 0; round < 2; round += 1) {
      const other = await openCertificates(service.database, {});
      startJobs(other);
      await stopJobs(other);
    }
    const expiring = (await service.events(user)).filter(({ type }) => type === 'certificate.expiring');
    expect(expiring).toMatchObject([{ data: { host, source: 'uploaded', error: null } }]);
  });

  it('ends with a deletion, and without ACME none is ordered', async () => {
    const host = 'deleted.localhost';
    await service.createVerified(user, host);
    await upload(host, authority.issue([host]));
    expect((await call('DELETE', `/certificates/${host}`)).status).toBe(200);
    expect((await call('GET', `/certificates/${host}`)).status).toBe(404);
    expect(await service.served(host)).not.toHaveProperty('certificate');
    expect((await call('POST', `/certificates/${host}/retry`)).json.error.message).toMatch(
      /ACME_EMAIL is not set/,
    );
    expect((await upload(host, authority.issue([host]))).status).toBe(200);
  });

  it('is encrypted with a new SECRET_KEY, while the old one is at hand', async () => {
    const secret = Buffer.from('a new secret key');
    const fingerprint = (await service.served(HOST))?.certificate?.fingerprint ?? '';
    const rotated = await openCertificates(service.database, { secret, previousSecrets: [SECRET] });
    startJobs(rotated);
    await stopJobs(rotated);
    expect((await service.served(HOST))?.certificate?.fingerprint).toBe(fingerprint);
    const { certificates } = await rotated.answer([fingerprint]);
    expect(createCertificateSealing(secret).open(fingerprint, certificates[0]!.sealed)).toHaveProperty(
      'privateKey',
    );
    await openCertificates(service.database, { previousSecrets: [secret] });
  });

  it('that is damaged stays as it is when SECRET_KEY is replaced, and the others are encrypted again', async () => {
    const host = 'damaged.localhost';
    await service.createVerified(user, host);
    await upload(host, authority.issue([host]));
    const fingerprint = (await service.served(HOST))?.certificate?.fingerprint ?? '';
    await service.database.query("UPDATE certificates SET sealed = 'damaged' WHERE host = $1", [host]);
    const secret = Buffer.from('a newer secret key');
    const rotated = await openCertificates(service.database, { secret, previousSecrets: [SECRET] });
    const { certificates } = await rotated.answer([fingerprint]);
    expect(createCertificateSealing(secret).open(fingerprint, certificates[0]!.sealed)).toHaveProperty(
      'privateKey',
    );
    expect(await service.database.query('SELECT sealed FROM certificates WHERE host = $1', [host])).toEqual([
      { sealed: 'damaged' },
    ]);
    await openCertificates(service.database, { previousSecrets: [secret] });
    await call('DELETE', `/certificates/${host}`);
  });

  it('survives a start with a wrong SECRET_KEY, which shows that its key cannot be decrypted', async () => {
    const rows = () => service.database.query('SELECT * FROM certificates ORDER BY host');
    const [before, served] = [await rows(), await service.served(HOST)];
    const wrong = await startCertificatesApi({
      database: service.database,
      secret: Buffer.from('a wrong secret key'),
    });
    const shown = await wrong.get(user, HOST);
    expect(shown).toMatchObject({ state: 'failed', lastError: { code: 'KEY_LOST' } });
    const records = await wrong.certificates.recordsOf([HOST]);
    expect(records.get(HOST)?.lastError?.code).toBe('KEY_LOST');
    await wrong.close();
    expect(await rows()).toEqual(before);
    expect(await service.served(HOST)).toEqual(served);
    expect(await service.get(user, HOST)).toMatchObject({ state: 'issued', lastError: null });
  });
});

it('orders that count for no limit any more are deleted, however many there are', async () => {
  const { database } = service;
  await database.query(
    `INSERT INTO certificate_orders (id, directory, registered_domain, host, created_at)
     SELECT 'old' || i, 'd', 'd', 'h', now() - interval '9 days' FROM generate_series(1, 10001) AS i
     UNION ALL SELECT 'new', 'd', 'd', 'h', now() - interval '6 days'`,
  );
  const authorities = [
    { directoryUrl: 'https://localhost:1/dir', variable: 'ACME_DIRECTORY_URL', eab: undefined } as const,
  ];
  const acme = { email: 'operator@waymark.example', namesPerWildcard: 20, authorities, caFile: undefined };
  const ordering = await openCertificates(database, { acme });
  startJobs(ordering);
  await expect.poll(() => database.query('SELECT id FROM certificate_orders')).toEqual([{ id: 'new' }]);
  await stopJobs(ordering);
});

it('data planes without the internal token get no certificates', async () => {
  const body = { fingerprints: [] };
  expect((await call('POST', '/internal/certificates', body)).status).toBe(401);
  const headers = { authorization: `Bearer ${deriveInternalToken(SECRET)}` };
  const wrong = await service.api.call('POST', '/internal/certificates', {
    headers,
    body: { fingerprints: ['x'] },
  });
  expect(wrong).toMatchObject({ status: 400, json: { error: { field: 'fingerprints' } } });
});
