import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import {
  referenceTo,
  startCertificateServer,
  startTlsDataplane,
  visit,
  writePair,
} from './tls-dataplane.fixture.js';

const EPOCH = 1_700_000_000;
const WILDCARD = '*.wild.example';
const authority = createTestAuthority();
const ca = authority.root;
const wildcard = authority.issue([WILDCARD, '*.deep.wild.example']);
const own = authority.issue(['own.wild.example']);

const wildcardRedirect = redirectOf(WILDCARD, { certificate: referenceTo(wildcard) });
const ownRedirect = redirectOf('own.wild.example', { certificate: referenceTo(own) });

async function start(options: Partial<Parameters<typeof startTlsDataplane>[0]> = {}) {
  const server = await startCertificateServer([wildcard, own]);
  const dataDir = await temporaryFolder();
  const running = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url, ...options });
  const see = (servername: string) => visit({ port: running.tlsPort, servername, options: { ca } });
  return { ...running, server, see };
}

it('a host below a wildcard redirect is served with the certificate of the wildcard, loaded once', async () => {
  const { feed, see, metric, urgencies, server } = await start();
  feed.snapshot(EPOCH, 1, [wildcardRedirect]);
  await expect.poll(async () => (await see('one.wild.example')).authorized).toBe(true);
  expect(await see('two.wild.example')).toMatchObject({
    authorized: true,
    statusCode: 301,
    subject: WILDCARD,
  });
  expect(await metric('waymark_tls_names_loaded')).toBe(1);
  expect(await see('a.deep.wild.example')).toMatchObject({ authorized: true, subject: WILDCARD });
  expect(await metric('waymark_tls_names_loaded')).toBe(2);
  const uncovered = await see('a.other.wild.example');
  expect(uncovered).toMatchObject({ subject: 'unknown-host.invalid', statusCode: 301 });
  expect((await see('wild.example')).statusCode).toBe(421);

  const renewed = authority.issue([WILDCARD]);
  server.add(renewed);
  feed.delta(EPOCH, 1, 2, [
    { host: WILDCARD, redirect: { ...wildcardRedirect, certificate: referenceTo(renewed) } },
  ]);
  await expect.poll(() => urgencies).toEqual(['soon']);
  feed.delta(EPOCH, 2, 3, [{ host: WILDCARD, redirect: redirectOf(WILDCARD) }]);
  expect(urgencies).toEqual(['soon', 'now']);
});

it('a host with a certificate of its own gets it, also after the wildcard was loaded', async () => {
  const { feed, see, server } = await start();
  feed.snapshot(EPOCH, 1, [wildcardRedirect, ownRedirect, redirectOf('plain.wild.example')]);
  await expect.poll(async () => (await see('one.wild.example')).subject).toBe(WILDCARD);
  await expect.poll(async () => (await see('own.wild.example')).subject).toBe('own.wild.example');

  const later = authority.issue(['later.wild.example']);
  expect((await see('later.wild.example')).subject).toBe(WILDCARD);
  server.add(later);
  const redirect = redirectOf('later.wild.example', { certificate: referenceTo(later) });
  feed.delta(EPOCH, 1, 2, [{ host: redirect.host, redirect }]);
  await expect.poll(async () => (await see('later.wild.example')).subject).toBe('later.wild.example');
});

it('a wildcard certificate of the directory serves hosts below a wildcard redirect', async () => {
  const certificatesDir = await temporaryFolder();
  await writePair(certificatesDir, wildcard, ['wild.crt', 'wild.key']);
  const { feed, see } = await start({ certificatesDir });
  feed.snapshot(EPOCH, 1, [redirectOf(WILDCARD)]);
  expect(await see('one.wild.example')).toMatchObject({ authorized: true, statusCode: 301 });
});

it('a new certificate of the directory below a loaded wildcard is served without a replacement', async () => {
  const certificatesDir = await temporaryFolder();
  await writePair(certificatesDir, wildcard, ['wild.crt', 'wild.key']);
  const { feed, see, urgencies } = await start({ certificatesDir, directoryIntervalMs: 20 });
  feed.snapshot(EPOCH, 1, [redirectOf(WILDCARD)]);
  expect((await see('own.wild.example')).subject).toBe(WILDCARD);
  await writePair(path.join(certificatesDir, 'own'), own, ['own.crt', 'own.key']);
  await expect.poll(async () => (await see('own.wild.example')).subject).toBe('own.wild.example');
  expect(urgencies).toEqual([]);
});

it('a name below a wildcard without a certificate is reported, and served with its own once there is one', async () => {
  const { feed, see, server, urgencies, metric } = await start();
  feed.snapshot(EPOCH, 1, [redirectOf(WILDCARD)]);
  // A hundred visitors at once cause one report.
  const visits = await Promise.all(Array.from({ length: 100 }, () => see('one.wild.example')));
  for (const one of visits) expect(one).toMatchObject({ subject: 'unknown-host.invalid', statusCode: 301 });
  // Nobody gets a certificate for these: a wildcard does not cover the first, and no redirect serves the others.
  for (const name of ['a.one.wild.example', 'wild.example', 'one.other.example']) await see(name);
  await expect.poll(() => server.reported).toEqual(['one.wild.example']);
  await expect.poll(() => metric('waymark_tls_names_reported_total', { outcome: 'reported' })).toBe(1);

  const issue = () => {
    const material = authority.issue(['one.wild.example']);
    server.add(material);
    return redirectOf(WILDCARD, { namedCertificates: { 'one.wild.example': referenceTo(material) } });
  };
  feed.delta(EPOCH, 1, 2, [{ host: WILDCARD, redirect: issue() }]);
  await expect.poll(async () => (await see('one.wild.example')).authorized).toBe(true);
  expect((await see('two.wild.example')).subject).toBe('unknown-host.invalid');

  // A renewed one takes effect when the process is replaced, once it is on disk; a deleted one at once.
  feed.delta(EPOCH, 2, 3, [{ host: WILDCARD, redirect: issue() }]);
  await expect.poll(() => urgencies).toEqual(['soon']);
  feed.delta(EPOCH, 3, 4, [{ host: WILDCARD, redirect: redirectOf(WILDCARD) }]);
  expect(urgencies).toEqual(['soon', 'now']);
});

it('certificates of names below wildcards are on disk before a handshake, and a start needs no other server', async () => {
  const named = authority.issue(['one.wild.example']);
  const server = await startCertificateServer([named]);
  const dataDir = await temporaryFolder();
  const first = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url });
  const namedCertificates = { 'one.wild.example': referenceTo(named) };
  first.feed.snapshot(EPOCH, 1, [redirectOf(WILDCARD, { namedCertificates })]);
  await expect.poll(() => first.metric('waymark_tls_certificates_fetched_total')).toBe(1);
  await first.dataplane.drain();
  await server.stop();
  const second = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url });
  const seen = await visit({ port: second.tlsPort, servername: 'one.wild.example', options: { ca } });
  expect(seen).toMatchObject({ authorized: true, statusCode: 301 });
});

it('hosts below a wildcard get the right certificates on connections that are not kept', async () => {
  const { feed, see, metric, port } = await start({ maxKeptConnections: 1 });
  feed.snapshot(EPOCH, 1, [wildcardRedirect, ownRedirect]);
  const kept = connect(port, '127.0.0.1');
  onTestFinished(() => void kept.destroy());
  await once(kept, 'connect');
  await expect.poll(async () => (await see('one.wild.example')).subject).toBe(WILDCARD);
  await expect.poll(async () => (await see('own.wild.example')).subject).toBe('own.wild.example');
  expect(await see('two.wild.example')).toMatchObject({ authorized: true, headers: { connection: 'close' } });
  expect(await see('a.other.wild.example')).toMatchObject({ subject: 'unknown-host.invalid' });
  expect(await metric('waymark_connections_not_kept_total')).toBeGreaterThanOrEqual(4);
  expect(await metric('waymark_tls_names_loaded')).toBeLessThanOrEqual(1);
});
