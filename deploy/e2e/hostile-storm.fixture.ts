import type { Socket } from 'node:net';
import { type Exchange, exchange, openSocket } from './hostile-client.fixture.js';
import { mutate } from './hostile-mutations.fixture.js';
import { faultOf, type Port } from './hostile-ports.fixture.js';
import { HOSTILE_REQUESTS } from './hostile-requests.fixture.js';
import { SMUGGLING_ATTEMPTS } from './hostile-smuggling.fixture.js';

export interface StormOptions {
  readonly ports: readonly Port[];
  readonly random: () => number;
}

/** Results of the requests that were answered or refused. The other attacks have no answers to check. */
export interface StormReport {
  /** The first faults found. */
  readonly faults: readonly string[];
  readonly exchanges: number;
  /** Number of answers by port and status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const MAX_FAULTS = 10;
const EXCHANGERS_PER_PORT = 8;
const SLOW_PER_PORT = 60;
const DEAF_PER_PORT = 2;
const HEAVY_PER_PORT = 2;
const DEAF_BYTES = 1024 * 1024;
const DEAF_STEP_BYTES = 16 * 1024;
const DEAF_STEP_MS = 100;
const SLOW_STEP_MS = 1_000;
const FLOOD_SIZE = 40;

/** Runs all attacks on all ports at the same time. All traffic goes to 127.0.0.1 and is bounded. */
export async function rageFor(durationMs: number, { ports, random }: StormOptions): Promise<StormReport> {
  const faults: string[] = [];
  const statuses: Record<string, number> = {};
  let exchanges = 0;
  let isStopped = false;
  const held = new Set<Socket>();

  async function hold(port: number, reads: boolean): Promise<Socket | undefined> {
    const socket = await openSocket(port, { reads }).catch(() => undefined);
    if (socket === undefined) return undefined;
    held.add(socket);
    socket.on('close', () => held.delete(socket));
    return socket;
  }

  function pick<T>(list: readonly T[]): T {
    return list[Math.floor(random() * list.length)] as T;
  }

  function nextBytes({ aim, valid }: Port): string | Buffer {
    const dice = random();
    if (dice < 0.6) return mutate(pick(valid), random);
    return dice < 0.8 ? pick(HOSTILE_REQUESTS).bytes(aim) : pick(SMUGGLING_ATTEMPTS).bytes(aim);
  }

  async function exchangeUntilStopped(port: Port): Promise<void> {
    while (!isStopped) {
      const sent = nextBytes(port);
      const result = await exchange(port.port, sent, { quietMs: 40 }).catch(() => undefined);
      if (result !== undefined) judge(port, sent, result);
    }
  }

  /** One byte a second, and a new connection for each that is cut. */
  async function trickle({ port, valid }: Port): Promise<void> {
    let socket: Socket | undefined;
    let bytes = '';
    while (!isStopped) {
      if (socket === undefined || socket.destroyed) {
        socket = await hold(port, true);
        bytes = pick(valid);
      }
      socket?.write(bytes.slice(0, 1), 'latin1');
      bytes = bytes.slice(1);
      await pause(SLOW_STEP_MS);
    }
  }

  /** Asks again and again and reads nothing. */
  async function stayDeaf({ port, cheap }: Port): Promise<void> {
    while (!isStopped) {
      const socket = await hold(port, false);
      for (
        let sent = 0;
        sent < DEAF_BYTES && !isStopped && socket?.destroyed === false;
        sent += DEAF_STEP_BYTES
      ) {
        socket.write(cheap.repeat(Math.ceil(DEAF_STEP_BYTES / cheap.length)), 'latin1');
        await pause(DEAF_STEP_MS);
      }
      await pause(SLOW_STEP_MS);
      socket?.destroy();
    }
  }

  /** Announces 100 MB and sends some of it. */
  async function sendHeavily({ port, aim }: Port): Promise<void> {
    while (!isStopped) {
      const socket = await hold(port, true);
      socket?.write(
        `POST ${aim.target} HTTP/1.1\r\nHost: ${aim.host}\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n`,
      );
      for (let part = 0; part < 30 && !isStopped && socket?.destroyed === false; part += 1) {
        socket.write(Buffer.alloc(65_536, 0x20));
        await pause(50);
      }
      socket?.destroy();
      await pause(100);
    }
  }

  /** Opens and closes many connections at the same time. Every other one ends with a reset. */
  async function flood({ port }: Port): Promise<void> {
    while (!isStopped) {
      const sockets = await Promise.all(Array.from({ length: FLOOD_SIZE }, () => hold(port, true)));
      for (const [index, socket] of sockets.entries()) {
        if (index % 2 === 0) socket?.resetAndDestroy();
        else socket?.destroy();
      }
      await pause(100);
    }
  }

  function judge(port: Port, sent: string | Buffer, result: Exchange): void {
    exchanges += 1;
    for (const { statusCode } of result.answers) {
      const key = `${port.name} ${statusCode}`;
      statuses[key] = (statuses[key] ?? 0) + 1;
    }
    for (const verdict of port.verdict(result)) {
      const what = JSON.stringify(Buffer.from(sent).toString('latin1').slice(0, 300));
      if (faults.length < MAX_FAULTS) faults.push(faultOf(port, what, result, verdict));
    }
  }

  const times = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work);
  const attackers = ports.flatMap((port) => [
    ...times(EXCHANGERS_PER_PORT, () => exchangeUntilStopped(port)),
    ...times(SLOW_PER_PORT, () => trickle(port)),
    ...times(DEAF_PER_PORT, () => stayDeaf(port)),
    ...times(HEAVY_PER_PORT, () => sendHeavily(port)),
    flood(port),
  ]);
  await pause(durationMs);
  isStopped = true;
  await Promise.all(attackers);
  for (const socket of held) socket.destroy();
  return { faults, exchanges, statuses };
}

/** Sets the pace of an attack. It does not wait for a result. */
function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
