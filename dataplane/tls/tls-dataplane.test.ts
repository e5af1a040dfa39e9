import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { exchange, request } from '../http/raw-client.fixture.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import {
  referenceTo,
  SECRET_KEY,
  startCertificateServer,
  startTlsDataplane,
  visit,
  writePair,
} from './tls-dataplane.fixture.js';

const EPOCH = 1_700_000_000;
const authority = createTestAuthority();
const ca = authority.root;
const A = authority.issue(['a.example']);
const B = authority.issue(['b.example']);
const certificateA = referenceTo(A);
const certificateB = referenceTo(B);
const redirectA = redirectOf('a.example', {
  destination: 'https://new-a.example',
  certificate: certificateA,
});
const redirectB = redirectOf('b.example', {
  destination: 'https://new-b.example',
  certificate: certificateB,
});
const plain = redirectOf('plain.example');

async function start(options: Partial<Parameters<typeof startTlsDataplane>[0]> = {}) {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const server = await startCertificateServer([A, B]);
  const running = await startTlsDataplane({ controlPlaneUrl: server.url, ...options, dataDir });
  return { ...running, server, dataDir };
}

/** A data plane that has fetched both certificates. */
async function startWithBoth(options: Parameters<typeof start>[0] = {}) {
  const running = await start(options);
  running.feed.snapshot(EPOCH, 1, [redirectA, redirectB, plain]);
  await expect.poll(() => running.metric('waymark_tls_certificates_fetched_total')).toBe(2);
  return running;
}

describe('a visitor over HTTPS', () => {
  it('gets the redirect with the certificate of the host, which is loaded at the first handshake', async () => {
    const { tlsPort, metric, recorder } = await startWithBoth();
    expect(await metric('waymark_tls_names_loaded')).toBe(0);
    const answer = await visit({ port: tlsPort, servername: 'a.example', options: { ca } });
    expect(answer).toMatchObject({
      authorized: true,
      subject: 'a.example',
      protocol: 'TLSv1.3',
      statusCode: 301,
      headers: { location: 'https://new-a.example' },
    });
    expect(await metric('waymark_tls_names_loaded')).toBe(1);
    expect(recorder.hits.map(({ host, address }) => [host, address])).toEqual([['a.example', '127.0.0.1']]);
  });

  it('is answered by the Host, also where the handshake named another known host', async () => {
    const { tlsPort } = await startWithBoth();
    const answer = await visit({ port: tlsPort, servername: 'a.example', host: 'b.example' });
    expect(answer).toMatchObject({ subject: 'a.example', headers: { location: 'https://new-b.example' } });
  });

  it.each([
    ['an unknown name', 'unknown.example', 'unknown.example', 421],
    ['a known name and an unknown Host', 'a.example', 'unknown.example', 421],
    ['an unknown name and a known Host', 'unknown.example', 'a.example', 301],
    ['no name', undefined, 'a.example', 301],
    ['a name in capitals', 'A.EXAMPLE', 'a.example', 301],
    ['a host without a certificate', 'plain.example', 'plain.example', 301],
  ])('with %s gets no redirect of another host', async (_what, servername, host, statusCode) => {
    const { tlsPort } = await startWithBoth();
    const answer = await visit({ port: tlsPort, servername, host });
    expect(answer.statusCode).toBe(statusCode);
    const isLoaded = servername === 'a.example';
    expect(answer.subject).toBe(isLoaded ? 'a.example' : 'unknown-host.invalid');
    if (statusCode === 421) expect(answer.headers.location).toBeUndefined();
  });

  it('gets 421 and no certificate for a host whose httpsMode is off', async () => {
    const { tlsPort, feed } = await startWithBoth();
    feed.snapshot(EPOCH, 2, [{ ...redirectA, httpsMode: 'off' }]);
    expect(await visit({ port: tlsPort, servername: 'a.example' })).toMatchObject({
      subject: 'unknown-host.invalid',
      statusCode: 421,
    });
  });

  it('gets 503 while there is no ruleset', async () => {
    const { tlsPort } = await start();
    expect((await visit({ port: tlsPort, servername: 'a.example' })).statusCode).toBe(503);
  });

  it('gets a certificate that was published a moment ago at the latest at the next handshake', async () => {
    const { tlsPort, feed, server } = await startWithBoth();
    const fresh = authority.issue(['plain.example']);
    server.add(fresh);
    feed.delta(EPOCH, 1, 2, [
      { host: 'plain.example', redirect: { ...plain, certificate: referenceTo(fresh) } },
    ]);
    await expect
      .poll(
        async () => (await visit({ port: tlsPort, servername: 'plain.example', options: { ca } })).authorized,
      )
      .toBe(true);
  });
});

describe('TLS', () => {
  const tls12 = { maxVersion: 'TLSv1.2' } as const;

  it('is refused below version 1.2', async () => {
    const { tlsPort } = await startWithBoth();
    const options = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(visit({ port: tlsPort, servername: 'a.example', options })).rejects.toThrow(
      /protocol version/i,
    );
  });

  it('has forward secrecy with every cipher of version 1.2, whatever the key', async () => {
    const dataDir = await temporaryFolder();
    const certificatesDir = path.join(dataDir, 'own');
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writePair(certificatesDir, authority.issue(['a.example'], { key }), ['a.crt', 'a.key']);
    const { tlsPort } = await startWithBoth({ dataDir, certificatesDir });
    for (const ciphers of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305']) {
      const answer = await visit({
        port: tlsPort,
        servername: 'a.example',
        options: { ...tls12, ciphers, ca },
      });
      expect(answer).toMatchObject({ authorized: true, protocol: 'TLSv1.2', cipher: ciphers });
    }
    const ciphers = 'AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA:AES256-SHA:ECDHE-RSA-AES128-SHA';
    for (const servername of ['a.example', 'unknown.example']) {
      const options = { ...tls12, ciphers };
      await expect(visit({ port: tlsPort, servername, options })).rejects.toThrow(/handshake failure/i);
    }
  });

  it('resumes sessions by tickets', async () => {
    const { tlsPort } = await startWithBoth();
    const session = await new Promise<Buffer>((resolve, reject) => {
      const socket = connect({ port: tlsPort, servername: 'a.example', ca }, () =>
        socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'),
      );
      socket.once('session', (ticket) => {
        socket.destroy();
        resolve(ticket);
      });
      socket.once('error', reject);
    });
    const answer = await visit({ port: tlsPort, servername: 'a.example', options: { ca, session } });
    expect(answer).toMatchObject({ reused: true, statusCode: 301 });
  });

  it('loads nothing for random names, and takes no memory for them', async () => {
    const { tlsPort, metric } = await startWithBoth();
    const shake = (name: string) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ port: tlsPort, servername: name, rejectUnauthorized: false }, () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', reject);
      });
    const flood = async (round: number) => {
      for (let batch = 0; batch < 30; batch += 1) {
        await Promise.all(
          Array.from({ length: 10 }, (_, at) => shake(`www.www-${round}-${batch}-${at}.a.example`)),
        );
      }
    };
    await flood(0);
    const before = process.memoryUsage().rss;
    await flood(1);
    await flood(2);
    // 600 names with a certificate each would take 8 MiB. The clients of this process take some, too.
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect(await metric('waymark_tls_names_loaded')).toBe(0);
    expect(await metric('waymark_tls_fallbacks_total')).toBe(900);
  });

  it('loads no more names than it may, and asks once to be replaced when there is time', async () => {
    const { tlsPort, urgencies, metric } = await startWithBoth({ maxNames: 1 });
    expect((await visit({ port: tlsPort, servername: 'a.example' })).subject).toBe('a.example');
    for (let visits = 0; visits < 2; visits += 1) {
      const { subject } = await visit({ port: tlsPort, servername: 'b.example' });
      expect(subject).toBe('unknown-host.invalid');
    }
    expect(urgencies).toEqual(['soon']);
    expect(await metric('waymark_tls_names_loaded')).toBe(1);
    expect(await metric('waymark_tls_fallbacks_total', { reason: 'limit' })).toBe(2);
  });
});

describe('certificates of the control plane', () => {
  it('are kept encrypted on disk for their user only, and suffice for a start without the control plane', async () => {
    const { dataDir, dataplane, server } = await startWithBoth();
    server.challenges.challengeThumbprints.push('thumb');
    const folder = path.join(dataDir, 'certificates');
    const file = path.join(folder, certificateA.fingerprint);
    expect(await readFile(file, 'utf8')).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect.poll(() => readdir(folder)).toContain('challenges.json');
    await dataplane.drain();
    await server.stop();

    const second = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url });
    const answer = await visit({ port: second.tlsPort, servername: 'a.example', options: { ca } });
    expect(answer).toMatchObject({ authorized: true, statusCode: 301 });
  });

  it('are fetched again when they are damaged or gone on disk', async () => {
    const { dataDir, dataplane } = await startWithBoth();
    await dataplane.drain();
    const fileOf = ({ fingerprint }: { fingerprint: string }) =>
      path.join(dataDir, 'certificates', fingerprint);
    await writeFile(fileOf(certificateA), 'damaged');
    await rm(fileOf(certificateB));

    const { tlsPort } = await start({ dataDir });
    for (const servername of ['a.example', 'b.example']) {
      await expect
        .poll(async () => (await visit({ port: tlsPort, servername, options: { ca } })).authorized)
        .toBe(true);
    }
  });

  it('stay readable on disk while SECRET_KEY is replaced, and are encrypted with the new one', async () => {
    const { dataDir, dataplane, server } = await startWithBoth();
    const file = path.join(dataDir, 'certificates', certificateA.fingerprint);
    const leftBehind = `${file}.${randomUUID()}`;
    await writeFile(leftBehind, 'unfinished');
    await utimes(leftBehind, 0, 0);
    await dataplane.drain();
    await server.stop();

    const current = Buffer.from('the new secret key of a test');
    const secrets = { current, previous: [SECRET_KEY] };
    const second = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url, secrets });
    expect(await visit({ port: second.tlsPort, servername: 'a.example', options: { ca } })).toMatchObject({
      authorized: true,
    });
    const open = async () =>
      createCertificateSealing(current).open(certificateA.fingerprint, await readFile(file, 'utf8'));
    await expect.poll(() => open().catch(() => undefined)).toHaveProperty('privateKey');
    expect(existsSync(leftBehind)).toBe(false);
  });

  it('are requested from a control plane that has the replaced SECRET_KEY only', async () => {
    const secrets = { current: Buffer.from('the new secret key of a test'), previous: [SECRET_KEY] };
    const { tlsPort } = await startWithBoth({ secrets });
    const answer = await visit({ port: tlsPort, servername: 'a.example', options: { ca } });
    expect(answer.authorized).toBe(true);
  });

  it('arrive also beside challenges that cannot be used', async () => {
    const { server, port, feed, metric } = await start();
    server.challenges.challengeThumbprints.push('not base64url!', 'thumb');
    server.challenges.challengeTokens['not/base64url'] = 'other';
    feed.snapshot(EPOCH, 1, [redirectA]);
    await expect.poll(() => metric('waymark_tls_certificates_fetched_total')).toBe(1);
    const answer = () => exchange(port, request('/.well-known/acme-challenge/token', 'a.example'));
    await expect.poll(async () => (await answer()).body).toBe('token.thumb');
  });

  it('are refused when they are not the ones of their fingerprint', async () => {
    const { tlsPort, server, feed, metric } = await start();
    const fingerprint = 'ab'.repeat(32);
    feed.snapshot(EPOCH, 1, [{ ...redirectA, certificate: { fingerprint, notAfter: 1 } }]);
    await vi.waitFor(() => expect(server.asked.flat()).toContain(fingerprint));
    expect((await visit({ port: tlsPort, servername: 'a.example' })).subject).toBe('unknown-host.invalid');
    expect(await metric('waymark_tls_certificates_fetched_total')).toBe(0);
  });

  it('report a renewal for soon, when it is on disk, and a deletion for now, once they are loaded', async () => {
    const dataDir = await temporaryFolder();
    const onDisk: boolean[] = [];
    const onOutdated = () =>
      onDisk.push(existsSync(path.join(dataDir, 'certificates', renewed.certificate.fingerprint)));
    const { tlsPort, feed, urgencies, server } = await startWithBoth({ dataDir, onOutdated });
    const change = (redirect: typeof plain | null, seq: number) =>
      feed.delta(EPOCH, seq - 1, seq, [{ host: 'a.example', redirect }]);
    const material = authority.issue(['a.example']);
    const renewed = { ...redirectA, certificate: referenceTo(material) };
    change({ ...redirectA, certificate: referenceTo(authority.issue(['a.example'])) }, 2);
    change(redirectA, 3);
    expect(urgencies).toEqual([]);
    await visit({ port: tlsPort, servername: 'a.example' });
    change({ ...redirectA, destination: 'https://other.example' }, 4);
    expect(urgencies).toEqual([]);
    server.add(material);
    change(renewed, 5);
    expect(urgencies).toEqual([]);
    await expect.poll(() => urgencies).toEqual(['soon']);
    expect(onDisk).toEqual([true]);
    const { certificate: _deleted, ...withoutCertificate } = redirectA;
    change(withoutCertificate, 6);
    expect(urgencies).toEqual(['soon', 'now']);
    change(null, 7);
    expect(urgencies).toEqual(['soon', 'now']);
    feed.snapshot(EPOCH, 8, [withoutCertificate]);
    expect(urgencies).toEqual(['soon', 'now', 'now']);
  });
});

describe('certificates of a directory', () => {
  it('are found as certbot and Caddy lay them out; a wildcard serves all hosts one label below', async () => {
    const certificatesDir = await temporaryFolder();
    const archive = path.join(certificatesDir, 'archive/wild.example');
    await writePair(archive, authority.issue(['*.wild.example']), ['fullchain1.pem', 'privkey1.pem']);
    const live = path.join(certificatesDir, 'live/wild.example');
    await mkdir(live, { recursive: true });
    await symlink(path.join(archive, 'fullchain1.pem'), path.join(live, 'fullchain.pem'));
    await symlink(path.join(archive, 'privkey1.pem'), path.join(live, 'privkey.pem'));
    const caddy = path.join(
      certificatesDir,
      'certificates/acme-v02.api.letsencrypt.org-directory/own.wild.example',
    );
    const own = authority.issue(['own.wild.example']);
    await writePair(caddy, own, ['own.wild.example.crt', 'own.wild.example.key']);
    await writePair(path.join(certificatesDir, 'broken'), { ...own, privateKey: B.privateKey }, [
      'x.crt',
      'x.key',
    ]);

    const { tlsPort, feed, metric } = await startTlsDataplane({
      dataDir: await temporaryFolder(),
      certificatesDir,
    });
    const hosts = ['one.wild.example', 'two.wild.example', 'own.wild.example', 'a.b.wild.example'];
    feed.snapshot(
      EPOCH,
      1,
      hosts.map((host) => redirectOf(host)),
    );
    const subjectOf = async (servername: string) =>
      (await visit({ port: tlsPort, servername, options: { ca } })).subject;
    expect(await subjectOf('one.wild.example')).toBe('*.wild.example');
    expect(await subjectOf('own.wild.example')).toBe('own.wild.example');
    expect(await subjectOf('two.wild.example')).toBe('*.wild.example');
    expect(await metric('waymark_tls_names_loaded')).toBe(2);
    expect(await subjectOf('a.b.wild.example')).toBe('unknown-host.invalid');
    const unknown = await visit({ port: tlsPort, servername: 'unknown.wild.example', options: { ca } });
    expect(unknown).toMatchObject({ subject: '*.wild.example', statusCode: 421 });
  });

  it('must exist at the start', async () => {
    const certificatesDir = path.join(await temporaryFolder(), 'none');
    await expect(startTlsDataplane({ dataDir: await temporaryFolder(), certificatesDir })).rejects.toThrow(
      /^TLS_CERTIFICATES_DIR cannot be read \(ENOENT.*\): name a folder\.$/,
    );
  });
});

describe('plain HTTP beside HTTPS', () => {
  const challenge = (token: string, host: string) => request(`/.well-known/acme-challenge/${token}`, host);

  it('answers challenges for every host, before any redirect, once an account is known', async () => {
    const { port, feed, server, dataDir, dataplane } = await start();
    feed.snapshot(EPOCH, 1, [{ ...redirectA, httpsMode: 'upgrade' }]);
    expect((await exchange(port, challenge('tok_en-1', 'unknown.example'))).statusCode).toBe(404);
    server.challenges.challengeThumbprints.push('primary', 'fallback');
    server.challenges.challengeTokens['tok_en-2'] = 'fallback';
    await expect
      .poll(async () => (await exchange(port, challenge('tok_en-1', 'unknown.example'))).statusCode)
      .toBe(200);
    const answer = await exchange(port, challenge('tok_en-1', 'a.example'));
    expect(answer).toMatchObject({ statusCode: 200, body: 'tok_en-1.primary' });
    expect((await exchange(port, challenge('tok_en-2', 'a.example'))).body).toBe('tok_en-2.fallback');
    expect((await exchange(port, challenge('not/a/token', 'unknown.example'))).statusCode).toBe(404);
    expect((await exchange(port, challenge('a.b', 'a.example'))).statusCode).toBe(308);

    await dataplane.drain();
    await server.stop();
    const second = await startTlsDataplane({ dataDir, controlPlaneUrl: server.url });
    expect((await exchange(second.port, challenge('later', 'x.example'))).body).toBe('later.primary');
  });

  it('redirects to HTTPS with httpsMode upgrade, and sends the HSTS header over HTTPS only', async () => {
    const { port, tlsPort, feed, recorder } = await startWithBoth();
    const hsts = { maxAge: 600, includeSubDomains: true, preload: false };
    feed.snapshot(EPOCH, 2, [
      { ...redirectA, httpsMode: 'upgrade', hsts },
      { ...redirectB, hsts },
    ]);
    const upgraded = await exchange(port, request('/p%20a?q=1&r', 'a.example:8080'));
    expect(upgraded.statusCode).toBe(308);
    expect(upgraded.headers.location).toBe('https://a.example/p%20a?q=1&r');
    expect(upgraded.headers).not.toHaveProperty('strict-transport-security');
    expect((await exchange(port, request('/', 'a.example'))).headers.location).toBe('https://a.example/');
    expect(recorder.hits).toHaveLength(0);

    const secure = await visit({ port: tlsPort, servername: 'a.example' });
    expect(secure).toMatchObject({
      statusCode: 301,
      headers: {
        location: 'https://new-a.example',
        'strict-transport-security': 'max-age=600; includeSubDomains',
      },
    });
    const both = await exchange(port, request('/', 'b.example'));
    expect(both.statusCode).toBe(301);
    expect(both.headers).not.toHaveProperty('strict-transport-security');
  });

  it('takes X-Forwarded-Proto from trusted proxies only', async () => {
    const redirect = {
      ...redirectA,
      httpsMode: 'upgrade',
      hsts: { maxAge: 1, includeSubDomains: false, preload: true },
    } as const;
    const statusCodes = async (trustedProxies: readonly string[]) => {
      const { port, feed } = await startTlsDataplane({
        dataDir: await temporaryFolder(),
        trustedProxies,
        publicHttpsPort: 8443,
      });
      feed.snapshot(EPOCH, 1, [redirect]);
      const answers = ['https', 'http', 'https, http'].map((scheme) =>
        exchange(port, request('/x', 'a.example', { headers: [`X-Forwarded-Proto: ${scheme}`] })),
      );
      return Promise.all(answers);
    };
    const untrusted = await statusCodes([]);
    expect(untrusted.map(({ statusCode }) => statusCode)).toEqual([308, 308, 308]);
    expect(untrusted[0]?.headers.location).toBe('https://a.example:8443/x');
    const [https, http, both] = await statusCodes(['127.0.0.1']);
    expect(https).toMatchObject({
      statusCode: 301,
      headers: { 'strict-transport-security': 'max-age=1; preload' },
    });
    expect([http?.statusCode, both?.statusCode]).toEqual([308, 308]);
  });
});
