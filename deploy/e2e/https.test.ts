import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { startForTest, withDataDir } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';
import { resetsAtClosing, startTraffic } from './take-over.fixture.js';
import { HANDSHAKING_VISITORS, startHandshakes } from './tls-handshakes.fixture.js';

const HOST = 'secure.localhost';
const authority = createTestAuthority();

test('one command serves HTTPS, and a renewed certificate takes effect without a failed request', () =>
  withDataDir(async (dataDir) => {
    const folder = path.join(dataDir, 'own', HOST);
    const issue = async () => {
      const { certificate, privateKey } = authority.issue([HOST]);
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'privkey.pem'), privateKey);
      await writeFile(path.join(folder, 'fullchain.pem'), certificate);
    };
    await issue();
    const product = await startForTest({
      dataDir,
      environment: { TLS_PORT: '0', TLS_CERTIFICATES_DIR: path.join(dataDir, 'own'), LOG_LEVEL: 'info' },
    });
    await createRedirect(product, HOST);
    const port = Number(new URL(product.tlsAddress).port);
    const options = { ca: authority.root };
    const visitHost = () => visit({ port, servername: HOST, options });
    await expect.poll(async () => (await visitHost()).statusCode).toBe(302);
    const before = await visitHost();
    expect(before).toMatchObject({ authorized: true, headers: { location: 'https://default.example/' } });
    expect((await visit({ port, servername: 'unknown.localhost' })).statusCode).toBe(421);

    const ask = async (domain: string) =>
      (await fetch(`${product.adminAddress}/tls/ask?domain=${domain}`)).status;
    expect([await ask(HOST), await ask(`www.www.${HOST}`)]).toEqual([200, 404]);
    const wildcard = { fromDomain: '*.wild.localhost', toDomain: 'https://wild.example' };
    expect((await product.api('POST', '/redirects', wildcard)).status).toBe(201);
    await expect.poll(async () => (await product.visit('made-up.wild.localhost', '/')).status).toBe(301);
    expect(await ask('made-up.wild.localhost')).toBe(404);

    const traffic = startTraffic({ redirectAddress: product.tlsAddress }, HOST, {
      ...options,
      servername: HOST,
    });
    await traffic.answeredMore(200);
    await issue();
    const handshakes = startHandshakes(port, HOST);
    product.process.kill('SIGUSR2');
    await vi.waitFor(() => expect(product.output()).toContain('the data-plane processes are replaced'));
    await traffic.answeredMore(200);
    const { failed, p99Ms } = await handshakes.stop();
    expect(failed.filter((code) => code !== 'ECONNRESET')).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(resetsAtClosing(1, HANDSHAKING_VISITORS));
    // Linux may drop the first packet of a connection when a worker closes its port. Clients repeat it after a second.
    expect(p99Ms).toBeLessThan(5_000);
    await traffic.expectNoneFailed(1);
    const after = await visitHost();
    expect(after).toMatchObject({ authorized: true, statusCode: 302 });
    expect(after.fingerprint).not.toBe(before.fingerprint);

    expect(product.output()).not.toContain('SNI');
    expect(readdirSync('/dev/shm').filter((name) => name.startsWith('waymark-key-'))).toEqual([]);
    expect(await product.end('SIGTERM')).toBe(0);
  }));
