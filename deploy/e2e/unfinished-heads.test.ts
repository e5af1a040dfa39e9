import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { childrenOf, hasProcessFacts, residentMib } from './crash-processes.fixture.js';
import { type Product, startForTest, withDataDir } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';

const HOST = 'crowded.localhost';
const MAX_WORKER_MIB = 300;
const CONNECTIONS = 8_000;
/** Connections that are opened at the same time. */
const AT_ONCE = 200;
const UNFINISHED_HEAD = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nX-Filler: ${'x'.repeat(31_000)}`;
const ASK = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

/** Opens a connection and resolves when `sent` was handed to the system, or when the connection is gone. */
function send(socket: Socket, event: 'connect' | 'secureConnect', sent: string): Promise<void> {
  return new Promise((resolve) => {
    socket.once('error', () => resolve());
    socket.once('close', () => resolve());
    socket.once(event, () => socket.write(sent, () => resolve()));
    socket.on('data', () => {});
  });
}

function destroyAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** Opens many connections, sends an unfinished head on each, and leaves them open. */
async function flood(count: number, open: () => Socket, event: 'connect' | 'secureConnect') {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const more = Array.from({ length: AT_ONCE }, open);
    sockets.push(...more);
    await Promise.all(more.map((socket) => send(socket, event, UNFINISHED_HEAD)));
  }
  return { end: () => destroyAll(sockets) };
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
    async stop() {
      isStopped = true;
      await visits;
      return { count, wrong };
    },
  };
}

/** Connections that have asked once and stay open, as those of a proxy do. */
async function openKept(port: number, count: number) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  const ask = async () => {
    const answers = sockets.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.once('data', (bytes) => resolve(bytes.toString('latin1').slice(0, 12)));
          socket.once('close', () => resolve('closed'));
          socket.write(ASK);
        }),
    );
    return new Set(await Promise.all(answers));
  };
  return { ask, end: () => destroyAll(sockets) };
}

/** Reads the sum of a metric over all workers. */
async function metric(product: Product, name: string, label = ''): Promise<number> {
  const text = await (await fetch(`${product.adminAddress}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

test.runIf(hasProcessFacts)(
  'thousands of unfinished heads, plain and over TLS, neither fill the memory of a worker nor fail visitors',
  () =>
    withDataDir(async (dataDir) => {
      const { certificate, privateKey } = createTestAuthority().issue([HOST]);
      const folder = path.join(dataDir, 'own');
      await mkdir(path.join(folder, HOST), { recursive: true });
      await writeFile(path.join(folder, HOST, 'privkey.pem'), privateKey);
      await writeFile(path.join(folder, HOST, 'fullchain.pem'), certificate);
      const product = await startForTest({
        dataDir,
        environment: { TLS_PORT: '0', TLS_CERTIFICATES_DIR: folder, LOG_LEVEL: 'info' },
      });
      await createRedirect(product, HOST);
      const port = Number(new URL(product.redirectAddress).port);
      const tlsPort = Number(new URL(product.tlsAddress).port);
      const [worker = 0] = childrenOf(product.process.pid ?? 0);
      const visitPlain = async () => (await product.visit(HOST, '/')).status;
      const visitTls = async () =>
        (await visit({ port: tlsPort, servername: HOST, options: { rejectUnauthorized: false } })).statusCode;
      await vi.waitFor(async () => expect([await visitPlain(), await visitTls()]).toEqual([302, 302]));

      const kept = await openKept(port, 1_000);
      expect(await kept.ask()).toEqual(new Set(['HTTP/1.1 302']));
      const visitors = [startVisits(visitPlain), startVisits(visitTls)];
      const sizes: number[] = [residentMib(worker)];
      const openTls = () =>
        connectTls({ port: tlsPort, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false });
      const openPlain = () => connect(port, '127.0.0.1');
      for (let wave = 0; wave < 3; wave += 1) {
        const plain = await flood(CONNECTIONS, openPlain, 'connect');
        const tls = await flood(2_000, openTls, 'secureConnect');
        sizes.push(residentMib(worker));
        plain.end();
        tls.end();
      }
      for (const one of visitors) {
        const { count, wrong } = await one.stop();
        expect(wrong).toEqual([]);
        expect(count).toBeGreaterThan(10);
      }
      expect(await kept.ask()).toEqual(new Set(['HTTP/1.1 302']));
      kept.end();
      expect(Math.max(...sizes)).toBeLessThan(MAX_WORKER_MIB);
      expect(await metric(product, 'waymark_connections_unanswered_total', 'end="cut"')).toBeGreaterThan(
        10_000,
      );
      expect(await metric(product, 'waymark_connections_not_kept_total')).toBeGreaterThan(10_000);
      expect(product.output()).toContain('many connections are open');
      expect(product.output()).toContain('closed before they had sent a whole request');
    }),
);
