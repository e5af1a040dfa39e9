import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { CertificateMaterial } from '../../shared/certificates/certificate-material.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createKeyFiles } from '../tls/key-files.js';
import { visit } from '../tls/tls-dataplane.fixture.js';
import { createKeptConnections } from './connection-overflow.js';
import { createListener } from './listener.js';
import type { ServerCertificates } from './tls-app.js';
import { visitorTarget } from './visitor-port.fixture.js';

const MAX_KEPT = 2;
const MAX_PER_PART = 2;
const authority = createTestAuthority();

/** A port with HTTPS that keeps two connections. It has a certificate for each of `hosts`. */
async function openCrowdedPort(hosts: readonly string[]) {
  const keyFiles = createKeyFiles(await temporaryFolder());
  const materials = new Map<string, CertificateMaterial>(
    hosts.map((host) => [host, authority.issue([host])]),
  );
  const asked: string[] = [];
  const loadable = (name: string, material: CertificateMaterial) => ({
    name,
    withFile: (load: (file: string) => void) => keyFiles.withFile(material, load),
  });
  const certificates: ServerCertificates = {
    fallback: loadable('', authority.issue(['unknown.example'])),
    missing: () => [],
    ofHost(host) {
      asked.push(host);
      const material = materials.get(host);
      return material && loadable(host, material);
    },
    onLoader: () => {},
    failed: expect.unreachable,
    failedOfHost: expect.unreachable,
  };
  const listener = createListener({
    onRequest: (res, _req, closing) => void res.endWithoutBody(0, closing),
    onForbiddenMethod: () => expect.unreachable(),
    certificates,
    kept: createKeptConnections(MAX_KEPT, MAX_PER_PART),
    uws: { keepAliveSeconds: 75, warn: expect.unreachable },
  });
  const { port } = await listener.listen(visitorTarget());
  onTestFinished(() => listener.drain(0));
  const open = async (servername: string) => {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    socket.write('GET / HTTP/1.1\r\nX: half');
    return socket;
  };
  await Promise.all([open('unknown.example'), open('unknown.example')]);
  await vi.waitFor(() => expect(listener.connections()).toBe(MAX_KEPT));
  const see = (servername: string) => visit({ port, servername, options: { ca: authority.root } });
  return {
    listener,
    asked,
    open,
    see,
    renew: (host: string) => materials.set(host, authority.issue([host])),
  };
}

it('has the right certificates where connections end with their first answer', async () => {
  const { see, asked } = await openCrowdedPort(['a.example', 'b.example']);
  for (const host of ['a.example', 'b.example', 'a.example']) {
    expect(await see(host)).toMatchObject({
      ...{ authorized: true, subject: host, statusCode: 200 },
      headers: { connection: 'close' },
    });
  }
  expect(asked).toEqual(['a.example', 'b.example']);
  expect(await see('c.example')).toMatchObject({ authorized: false, statusCode: 200 });
});

it('forgets certificates with the connections that it closes, and serves renewed ones then', async () => {
  const { see, open, renew, listener } = await openCrowdedPort(['a.example']);
  const first = await see('a.example');
  renew('a.example');
  expect((await see('a.example')).fingerprint).toBe(first.fingerprint);
  // Two for each of four parts, and as many again: each part closes the connections of its last turn.
  for (let count = 0; count < 16; count += 1) await open('a.example');
  expect(listener.connections()).toBeLessThanOrEqual(MAX_KEPT + 4 * MAX_PER_PART);
  const later = await see('a.example');
  expect(later).toMatchObject({ authorized: true, statusCode: 200 });
  expect(later.fingerprint).not.toBe(first.fingerprint);
});
