import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startAttackedProduct } from './attacked-product.fixture.js';
import { hasProcessFacts, residentMib } from './crash-processes.fixture.js';
import { withDataDir } from './product.fixture.js';

const HOST = 'unread.localhost';
const MAX_WORKER_MIB = 300;
const ASK = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
/** An answer has 2 KB. Without a bound, the worker grew beyond 300 MiB. */
const DESTINATION = `https://unread.example/${'x'.repeat(1_900)}`;
const ANSWERS = 160_000;
/** An attack also ends after this number of dropped connections. Each has cost at least 2,000 answers. */
const DROPPED = 20;
const BURST_INTERVAL_MS = 100;

/** Sends bursts of requests on some connections and reads nothing. Connections that end are opened again. */
function attack({ connections, burst }: { connections: number; burst: number }, open: () => Socket) {
  const requests = ASK.repeat(burst);
  const sockets = new Set<Socket>();
  const add = () => {
    const socket = open().pause();
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
    });
  };
  const timer = setInterval(() => {
    while (sockets.size < connections) add();
    // A socket that holds bytes back has a server that does not read.
    for (const socket of sockets) if (socket.writableLength < requests.length) socket.write(requests);
  }, BURST_INTERVAL_MS);
  return {
    end() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

test.runIf(hasProcessFacts)(
  'clients that pipeline requests and read nothing, plain and over TLS, neither fill the memory of a worker nor fail visitors',
  () =>
    withDataDir(async (dataDir) => {
      const { product, worker, openPlain, openTls, startVisitors, metric } = await startAttackedProduct(
        dataDir,
        HOST,
        { toDomain: DESTINATION },
      );
      const answers = () => metric('waymark_requests_total');
      const dropped = () => metric('waymark_connections_unread_total');
      const visitors = startVisitors();
      const sizes = [residentMib(worker)];
      const attackUntilAnswered = async (
        shape: { connections: number; burst: number },
        open: () => Socket,
      ) => {
        const before = { answers: await answers(), dropped: await dropped() };
        const attacker = attack(shape, open);
        do {
          await new Promise((resolve) => setTimeout(resolve, BURST_INTERVAL_MS));
          sizes.push(residentMib(worker));
        } while (
          (await answers()) < before.answers + ANSWERS &&
          (await dropped()) < before.dropped + DROPPED
        );
        attacker.end();
      };
      await attackUntilAnswered({ connections: 1, burst: 1_000 }, openPlain);
      await attackUntilAnswered({ connections: 10, burst: 100 }, openTls);
      for (const { count, wrong } of await visitors.stop()) {
        expect(wrong).toEqual([]);
        expect(count).toBeGreaterThan(10);
      }
      expect(Math.max(...sizes)).toBeLessThan(MAX_WORKER_MIB);
      expect(await dropped()).toBeGreaterThan(0);
      expect(product.output()).toContain('without reading the answers');
    }),
);
