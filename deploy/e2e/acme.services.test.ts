import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  PEBBLE_BIN,
  startChallengeDns,
  startPebble,
} from '../../controlplane/areas/certificates/pebble.fixture.js';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { asCertificatesAnswer } from '../../shared/certificates/certificate-exchange.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import { startForTest, withDataDir } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';

const HOST = 'acme.localhost';
const SECRET_KEY = 'the secret key of this test';

interface Shown {
  readonly state: string;
  readonly notAfter: string;
}

/** The authority must know the port of visitors before the product starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns the PEM chain of a certificate, as data planes get it. */
async function chainOf(apiAddress: string, fingerprint: string | undefined): Promise<string> {
  const secret = Buffer.from(SECRET_KEY);
  const response = await fetch(`${apiAddress}/internal/certificates`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${deriveInternalToken(secret)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ fingerprints: [fingerprint] }),
  });
  const { certificates } = asCertificatesAnswer(await response.json());
  const [{ sealed } = { sealed: '' }] = certificates;
  return createCertificateSealing(secret).open(fingerprint ?? '', sealed).certificate;
}

test.skipIf(PEBBLE_BIN === undefined)(
  'one command obtains a certificate, serves it, renews it, and starts with the authority down',
  () =>
    withDataDir(async (dataDir) => {
      const [dns, redirectPort] = await Promise.all([startChallengeDns(), freePort()]);
      onTestFinished(() => dns.end());
      const pebble = await startPebble({ httpPort: redirectPort, dnsServer: dns.address });
      onTestFinished(() => pebble.end());
      const caFile = path.join(dataDir, 'authority.pem');
      await copyFile(pebble.caFile, caFile);
      const environment = {
        ...{ SECRET_KEY, TLS_PORT: '0', REDIRECT_PORT: String(redirectPort), LOG_LEVEL: 'info' },
        ...{ ACME_EMAIL: 'operator@waymark.example', ACME_AGREE_TERMS: 'on' },
        ...{ ACME_DIRECTORY_URL: pebble.directoryUrl, ACME_CA_FILE: caFile },
        ...{ DNS_SERVERS: dns.address, PUBLIC_ADDRESSES: '127.0.0.1' },
      };
      const product = await startForTest({ dataDir, environment });
      const ca = await pebble.root();
      await createRedirect(product, HOST);
      const state = async () => (await product.api<Shown>('GET', `/certificates/${HOST}`)).body.state;
      await expect.poll(state).toBe('issued');

      const visitHost = (address = product.tlsAddress) =>
        visit({ port: Number(new URL(address).port), servername: HOST, options: { ca } });
      // Data planes fetch new certificates in the background.
      await expect.poll(async () => (await visitHost()).authorized).toBe(true);
      const before = await visitHost();
      expect(before).toMatchObject({ statusCode: 302, headers: { location: 'https://default.example/' } });

      // A name below a wildcard gets a certificate after its first handshake.
      const wildcard = { fromDomain: '*.wild.localhost', toDomain: 'https://wild.example' };
      expect((await product.api('POST', '/redirects', wildcard)).status).toBe(201);
      const port = Number(new URL(product.tlsAddress).port);
      const visitBelow = () => visit({ port, servername: 'a.wild.localhost', options: { ca } });
      await expect.poll(async () => (await visitBelow()).authorized, { interval: 1_000 }).toBe(true);
      expect(await visitBelow()).toMatchObject({ statusCode: 301 });

      await pebble.setRenewalWindow(
        await chainOf(product.apiAddress, before.fingerprint),
        new Date(Date.now() - 2_000),
        new Date(Date.now() - 1_000),
      );
      expect((await product.api('POST', `/certificates/${HOST}/retry`)).status).toBe(202);
      // Renewed certificates take effect when the workers are replaced, at most hourly. SIGUSR2 replaces them
      // immediately.
      await expect
        .poll(
          async () => {
            product.process.kill('SIGUSR2');
            return (await visitHost()).fingerprint;
          },
          { interval: 5_000 },
        )
        .not.toBe(before.fingerprint);
      const renewed = await visitHost();
      expect(renewed).toMatchObject({ authorized: true, statusCode: 302 });
      expect(await product.end('SIGTERM')).toBe(0);

      await pebble.end();
      const { token } = product;
      const again = await startForTest({ dataDir, token, environment });
      await expect.poll(async () => (await visitHost(again.tlsAddress)).statusCode).toBe(302);
      expect((await visitHost(again.tlsAddress)).fingerprint).toBe(renewed.fingerprint);
      expect(await again.end('SIGTERM')).toBe(0);
    }),
);
