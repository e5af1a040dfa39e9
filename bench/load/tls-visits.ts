import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { percentile } from '../measure/statistics.js';
import { BROWSER_HEADERS } from '../traffic/bench-request.js';
import type { ExpectedRequest } from './fixed-rate.js';

/** `full`: each request on a new connection; `resumed`: the same with a session ticket; `kept`: on open connections. */
export type TlsVisitKind = 'full' | 'resumed' | 'kept';

export interface TlsVisitsOptions {
  readonly kind: TlsVisitKind;
  readonly server: string;
  readonly port: number;
  readonly requests: readonly ExpectedRequest[];
  /** Visitors at the same time. */
  readonly visitors: number;
  readonly seconds: number;
  /** Connections that may be reset before the handshake is complete. Each is counted and opened again. Default 0. */
  readonly maxResets?: number;
}

export interface TlsVisitsResult {
  readonly completed: number;
  /** Connections reset before the handshake was complete. */
  readonly resets: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEADERS = Object.entries(BROWSER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Visits a server over TLS 1.3, and checks every answer. @throws on a wrong answer, and on a request that fails */
export async function runTlsVisits(options: TlsVisitsOptions): Promise<TlsVisitsResult> {
  const startedAtMs = performance.now();
  const latenciesMs: number[] = [];
  let next = 0;
  let resets = 0;
  const isOver = () => performance.now() - startedAtMs >= options.seconds * 1_000;

  async function openAgain(host: string, session?: Buffer): Promise<TLSSocket> {
    for (;;) {
      try {
        return await open(options, host, session);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
        resets += 1;
        if (resets > (options.maxResets ?? 0)) throw error;
      }
    }
  }

  async function visitor(): Promise<void> {
    let session: Buffer | undefined = options.kind === 'resumed' ? await ticketOf(options) : undefined;
    let kept: TLSSocket | undefined;
    while (!isOver()) {
      const request = options.requests[next++ % options.requests.length];
      if (request === undefined) throw new Error('there are no requests to send');
      const begunAtMs = performance.now();
      const socket: TLSSocket = kept ?? (await openAgain(request.host, session));
      if (session !== undefined) {
        if (!socket.isSessionReused()) throw new Error(`${options.server} did not resume a session`);
        // Each ticket is used once, as clients should (RFC 8446, appendix C.4).
        session = undefined;
        socket.once('session', (ticket) => {
          session = ticket;
        });
      }
      await ask(socket, request, options.server);
      latenciesMs.push(performance.now() - begunAtMs);
      if (options.kind === 'kept') kept = socket;
      else socket.destroy();
      if (options.kind === 'resumed') session ??= await ticketOf(options);
    }
    kept?.destroy();
  }

  await Promise.all(Array.from({ length: options.visitors }, visitor));
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  return {
    completed: latenciesMs.length,
    resets,
    requestsPerSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(latenciesMs, 0.5) ?? Number.NaN,
    p99Ms: percentile(latenciesMs, 0.99) ?? Number.NaN,
  };
}

function open({ port }: TlsVisitsOptions, servername: string, session?: Buffer): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const to: ConnectionOptions = { port, host: '127.0.0.1', servername, rejectUnauthorized: false };
    const socket = connect({ ...to, minVersion: 'TLSv1.3', ...(session && { session }) }, () =>
      resolve(socket),
    );
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Visits once for a ticket. */
async function ticketOf(options: TlsVisitsOptions): Promise<Buffer> {
  const [request] = options.requests;
  if (request === undefined) throw new Error('there are no requests to send');
  const socket = await open(options, request.host);
  const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve));
  await ask(socket, request, options.server);
  return ticket.finally(() => socket.destroy());
}

function ask(socket: TLSSocket, request: ExpectedRequest, server: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const settle = (error?: Error): void => {
      socket.off('data', onData).off('close', onClose).off('error', settle);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = (): void => settle(new Error(`${server} ended a connection before its answer`));
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      const location = /^location: *(\S+)/im.exec(text)?.[1] ?? '';
      const isRight = text.startsWith('HTTP/1.1 301') && request.locations.includes(location);
      settle(isRight ? undefined : new Error(`${server} answered ${request.host} wrongly: ${text}`));
    };
    socket.on('data', onData).on('close', onClose).on('error', settle);
    socket.write(`GET ${request.target} HTTP/1.1\r\nHost: ${request.host}\r\n${HEADERS}\r\n`);
  });
}
