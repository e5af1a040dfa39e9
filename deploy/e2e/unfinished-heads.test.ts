import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startAttackedProduct } from './attacked-product.fixture.js';
import { hasProcessFacts, residentMib } from './crash-processes.fixture.js';
import { withDataDir } from './product.fixture.js';

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

/** Opens connections that send one request and stay open, like those of a proxy. */
async function openKept(open: () => Socket, count: number) {
  const sockets = Array.from({ length: count }, open);
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

test.runIf(hasProcessFacts)(
  'thousands of unfinished heads, plain and over TLS, neither fill the memory of a worker nor fail visitors',
  () =>
    withDataDir(async (dataDir) => {
      const { product, worker, openPlain, openTls, startVisitors, metric } = await startAttackedProduct(
        dataDir,
        HOST,
      );
      const kept = await openKept(openPlain, 1_000);
      expect(await kept.ask()).toEqual(new Set(['HTTP/1.1 302']));
      const visitors = startVisitors();
      const sizes: number[] = [residentMib(worker)];
      for (let wave = 0; wave < 3; wave += 1) {
        const plain = await flood(CONNECTIONS, openPlain, 'connect');
        const tls = await flood(2_000, openTls, 'secureConnect');
        sizes.push(residentMib(worker));
        plain.end();
        tls.end();
      }
      for (const { count, wrong } of await visitors.stop()) {
        expect(wrong).toEqual([]);
        expect(count).toBeGreaterThan(10);
      }
      expect(await kept.ask()).toEqual(new Set(['HTTP/1.1 302']));
      kept.end();
      expect(Math.max(...sizes)).toBeLessThan(MAX_WORKER_MIB);
      expect(await metric('waymark_connections_unanswered_total', 'end="cut"')).toBeGreaterThan(10_000);
      expect(await metric('waymark_connections_not_kept_total')).toBeGreaterThan(10_000);
      expect(product.output()).toContain('many connections are open');
      expect(product.output()).toContain('closed before they had sent a whole request');
    }),
);
