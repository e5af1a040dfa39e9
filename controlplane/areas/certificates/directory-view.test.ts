import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import type { TestUser } from '../../http/api.fixture.js';
import {
  type CertificatesApi,
  openCertificates,
  startCertificatesApi,
  startJobs,
  stopJobs,
} from './certificates-api.fixture.js';

const authority = createTestAuthority();
let service: CertificatesApi;
let user: TestUser;
let certificatesDir: string;

beforeAll(async () => {
  certificatesDir = await mkdtemp(path.join(tmpdir(), 'waymark-directory-'));
  for (const [name, names] of [
    ['wild', ['*.dir.localhost']],
    ['own', ['own.localhost']],
  ] as const) {
    const { certificate, privateKey } = authority.issue(names);
    await writeFile(path.join(certificatesDir, `${name}.crt`), certificate);
    await writeFile(path.join(certificatesDir, `${name}.key`), privateKey);
  }
  service = await startCertificatesApi({ certificatesDir });
  user = await service.api.createUser({ plan: 'business' });
  for (const host of ['a.dir.localhost', 'b.a.dir.localhost', 'own.localhost', 'uploaded.localhost']) {
    await service.createVerified(user, host);
  }
});
afterAll(async () => {
  await service.close();
  await rm(certificatesDir, { recursive: true });
});

const call = (method: string, url: string, body?: object) =>
  service.api.call(method, url, { token: user.token, ...(body && { body }) });

it('certificates of TLS_CERTIFICATES_DIR are shown where visitors get them, instead of others', async () => {
  for (const host of ['uploaded.localhost', 'own.localhost']) {
    expect((await call('PUT', `/certificates/${host}`, authority.issue([host]))).status).toBe(200);
  }
  const shown = await service.get(user, 'a.dir.localhost');
  expect(shown).toMatchObject({
    ...{ host: 'a.dir.localhost', source: 'directory', state: 'issued', issuer: 'Test Intermediate' },
    ...{ names: ['*.dir.localhost'], lastError: null, nextAttemptAt: null },
  });
  expect(await service.get(user, 'b.a.dir.localhost')).toBeUndefined();

  const pages = [];
  for (let url: string | undefined = '/certificates?limit=2'; url !== undefined; ) {
    const { json } = await call('GET', url);
    pages.push(json.data.map((one: { host: string; source: string }) => [one.host, one.source]));
    url = json.page.nextCursor === null ? undefined : `/certificates?limit=2&cursor=${json.page.nextCursor}`;
  }
  expect(pages).toEqual([
    [
      ['a.dir.localhost', 'directory'],
      ['own.localhost', 'directory'],
    ],
    [['uploaded.localhost', 'uploaded']],
  ]);
  const records = (await call('GET', '/redirects?fields=fromDomain,certificate&sort=fromDomain')).json.data;
  expect(
    records.map(({ certificate }: { certificate: { source: string } | null }) => certificate?.source ?? null),
  ).toEqual(['directory', null, 'directory', 'uploaded']);
});

it('a certificate of TLS_CERTIFICATES_DIR cannot be deleted through the API', async () => {
  const { status, json } = await call('DELETE', '/certificates/a.dir.localhost');
  expect(status).toBe(404);
  expect(json.error.message).toMatch(/is in TLS_CERTIFICATES_DIR/);
});

it('nothing is ordered for a host that has one in TLS_CERTIFICATES_DIR', async () => {
  const authorities = [
    { directoryUrl: 'https://127.0.0.1:1/dir', variable: 'ACME_DIRECTORY_URL', eab: undefined } as const,
  ];
  const certificates = await openCertificates(service.database, {
    acme: { email: 'operator@waymark.example', namesPerWildcard: 20, authorities, caFile: undefined },
    ...{ certificatesDir, dnsServers: ['127.0.0.1:1'] },
  });
  await certificates.answer([]);
  startJobs(certificates);
  const row = async (host: string) => {
    const rows = await service.database.query<{ code: string | null; minutes: number }>(
      `SELECT last_error->>'code' AS code, (extract(epoch FROM next_attempt_at - now()) / 60)::float AS minutes
       FROM certificates WHERE host = $1 AND claim IS NULL`,
      [host],
    );
    return rows[0];
  };
  await expect.poll(async () => (await row('b.a.dir.localhost'))?.code).toBe('DNS_UNAVAILABLE');
  await expect.poll(async () => (await row('a.dir.localhost'))?.minutes).toBeGreaterThan(50);
  expect((await row('a.dir.localhost'))?.code).toBeNull();
  await stopJobs(certificates);
  expect((await call('POST', '/certificates/a.dir.localhost/retry')).json.error.message).toMatch(
    /is in TLS_CERTIFICATES_DIR/,
  );
});

it('metrics show certificates by state, the next expiry on disk included, and orders by outcome', async () => {
  const expiring = await mkdtemp(path.join(tmpdir(), 'waymark-directory-'));
  onTestFinished(() => rm(expiring, { recursive: true }));
  const days = 3;
  const notAfter = Date.now() + days * 86_400_000;
  const { certificate, privateKey } = authority.issue(['old.localhost'], { notAfter });
  await writeFile(path.join(expiring, 'old.crt'), certificate);
  await writeFile(path.join(expiring, 'old.key'), privateKey);
  const metrics = new Registry();
  await openCertificates(service.database, { metrics, certificatesDir: expiring });
  const text = await metrics.metrics();
  const seconds = Number(/^waymark_certificate_nearest_expiry_seconds\{scope="all"\} (.+)$/m.exec(text)?.[1]);
  expect(seconds / 86_400).toBeCloseTo(days, 2);
  expect(text).toMatch(/^waymark_certificates\{state="issued"\} [1-9]/m);
  for (const outcome of ['issued', 'VALIDATION_FAILED', 'RATE_LIMITED', 'CA_UNAVAILABLE']) {
    expect(text).toContain(`waymark_certificate_orders_total{outcome="${outcome}"} 0`);
  }
});
