import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, vi } from 'vitest';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { childrenOf } from './crash-processes.fixture.js';
import { type Product, startForTest } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';

/** A product with one worker and one redirect, over HTTP and HTTPS, for tests that attack it. */
export interface AttackedProduct {
  readonly product: Product;
  /** Process id of the worker. */
  readonly worker: number;
  openPlain(): Socket;
  openTls(): Socket;
  /** Starts visits over HTTP and HTTPS beside the attack. */
  startVisitors(): { stop(): Promise<readonly VisitCounts[]> };
  /** Reads the sum of a metric over all workers. */
  metric(name: string, label?: string): Promise<number>;
}

export interface VisitCounts {
  readonly count: number;
  /** Statuses other than 302, and errors. */
  readonly wrong: readonly unknown[];
}

export async function startAttackedProduct(
  dataDir: string,
  host: string,
  redirect: object = {},
): Promise<AttackedProduct> {
  const { certificate, privateKey } = createTestAuthority().issue([host]);
  const folder = path.join(dataDir, 'own');
  await mkdir(path.join(folder, host), { recursive: true });
  await writeFile(path.join(folder, host, 'privkey.pem'), privateKey);
  await writeFile(path.join(folder, host, 'fullchain.pem'), certificate);
  const product = await startForTest({
    dataDir,
    environment: { TLS_PORT: '0', TLS_CERTIFICATES_DIR: folder, LOG_LEVEL: 'info' },
  });
  await createRedirect(product, host, redirect);
  const port = Number(new URL(product.redirectAddress).port);
  const tlsPort = Number(new URL(product.tlsAddress).port);
  const visitPlain = async () => (await product.visit(host, '/')).status;
  const visitTls = async () =>
    (await visit({ port: tlsPort, servername: host, options: { rejectUnauthorized: false } })).statusCode;
  await vi.waitFor(async () => expect([await visitPlain(), await visitTls()]).toEqual([302, 302]));
  return {
    product,
    worker: childrenOf(product.process.pid ?? 0)[0] ?? 0,
    openPlain: () => connect(port, '127.0.0.1'),
    openTls: () =>
      connectTls({ port: tlsPort, host: '127.0.0.1', servername: host, rejectUnauthorized: false }),
    startVisitors() {
      const visits = [startVisits(visitPlain), startVisits(visitTls)];
      return { stop: () => Promise.all(visits.map((one) => one.stop())) };
    },
    async metric(name, label = '') {
      const text = await (await fetch(`${product.adminAddress}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(label));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}

/** Visits on new connections, one after another, until stopped. */
function startVisits(visitOnce: () => Promise<number | undefined>) {
  const wrong: unknown[] = [];
  let count = 0;
  let isStopped = false;
  const visits = (async () => {
    while (!isStopped) {
      const status = await visitOnce().catch((error: unknown) => error);
      count += 1;
      if (status !== 302) wrong.push(status);
    }
  })();
  return {
    async stop(): Promise<VisitCounts> {
      isStopped = true;
      await visits;
      return { count, wrong };
    },
  };
}
