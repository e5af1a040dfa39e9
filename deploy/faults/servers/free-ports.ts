import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports of outgoing connections. A system could assign one of those while its server is down or not
 * started.
 */
const LOWEST = 15_000;
const HIGHEST = 30_000;

const given = new Set<number>();

/** Returns free ports of the loopback; none is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** Returns one such port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
