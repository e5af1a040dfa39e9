import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Product } from './product.fixture.js';

/**
 * Outcome of one request. `closed`: the connection was closed normally before the answer began; `cut`: closed within
 * the answer; `reset`: by a reset, also during the TLS handshake; `refused`: no connection.
 */
export type Outcome = 'answered' | 'closed' | 'cut' | 'reset' | 'refused';

/** Visitors who ask again and again, each on a connection that is kept or, if wanted, on a new one each time. */
export interface Visitors {
  /** Time of each answer, by `performance.now()`. */
  readonly answeredAtMs: readonly number[];
  readonly asked: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Answers that were no redirect. */
  readonly wrong: readonly string[];
  stop(): Promise<void>;
}

export const VISITORS = 4;
const PAUSE_MS = 1;
const RETRY_MS = 5;

export interface VisitorOptions {
  /** Whether each request uses a new connection. Default: no. */
  readonly isFresh?: boolean;
  /** Between an answer and the next request. Default: 1. */
  readonly pauseMs?: number;
  /** Connects with TLS. Default: without. */
  readonly tls?: ConnectionOptions;
}

/** @param host of a redirect */
export function startVisitors(
  product: Pick<Product, 'redirectAddress'>,
  host: string,
  { isFresh = false, pauseMs = PAUSE_MS, tls }: VisitorOptions = {},
): Visitors {
  const port = Number(new URL(product.redirectAddress).port);
  const request = `GET /a?b=c HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\n\r\n`;
  const answeredAtMs: number[] = [];
  const wrong: string[] = [];
  const outcomes = { answered: 0, closed: 0, cut: 0, reset: 0, refused: 0 };
  const visitors = { asked: 0, isStopped: false };

  async function visit(): Promise<void> {
    let socket: Socket | undefined;
    while (!visitors.isStopped) {
      if (socket === undefined || socket.destroyed || !socket.writable) {
        const connection = await tryToConnect(port, tls);
        if (typeof connection === 'string') {
          outcomes[connection] += 1;
          await pause(RETRY_MS);
          continue;
        }
        socket = connection;
      }
      visitors.asked += 1;
      const { outcome, text } = await ask(socket, request);
      outcomes[outcome] += 1;
      if (outcome !== 'answered') {
        socket.destroy();
        continue;
      }
      answeredAtMs.push(performance.now());
      if (!/^HTTP\/1\.1 30[12] /.test(text)) wrong.push(text);
      if (isFresh || /^connection: close/im.test(text)) socket.destroy();
      await pause(pauseMs);
    }
    socket?.destroy();
  }

  const visits = Array.from({ length: VISITORS }, visit);
  return {
    answeredAtMs,
    outcomes,
    wrong,
    get asked() {
      return visitors.asked;
    },
    async stop() {
      visitors.isStopped = true;
      await Promise.all(visits);
    },
  };
}

function tryToConnect(
  port: number,
  tls: ConnectionOptions | undefined,
): Promise<Socket | 'reset' | 'refused'> {
  return new Promise((resolve) => {
    const to = { port, host: '127.0.0.1', noDelay: true };
    const connected = () => resolve(socket);
    const socket: Socket = tls ? connectTls({ ...to, ...tls }, connected) : connect(to, connected);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'ECONNRESET' ? 'reset' : 'refused');
    });
  });
}

/** Answers here have no body: their head is all. */
function ask(socket: Socket, request: string): Promise<{ outcome: Outcome; text: string }> {
  return new Promise((resolve) => {
    let text = '';
    const settle = (outcome: Outcome): void => {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onEnd);
      resolve({ outcome, text });
    };
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (text.endsWith('\r\n\r\n')) settle('answered');
    };
    const onEnd = (): void => settle(text === '' ? 'closed' : 'cut');
    const onError = (): void => settle('reset');
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onEnd);
    socket.write(request);
  });
}

/** API clients that create and change redirects continuously. Each sends its next request after the answer. */
export interface Writers {
  /**
   * Possible current destinations of a redirect, by its id: the acknowledged one, and the one in the unanswered
   * request.
   */
  readonly written: ReadonlyMap<string, ReadonlySet<string>>;
  /** Answers that were neither 200 nor 201. */
  readonly wrong: readonly string[];
  /** Calls without an answer. */
  readonly unanswered: number;
  stop(): Promise<void>;
}

const WRITERS = 2;

export function startWriters(product: Pick<Product, 'api'>): Writers {
  const written = new Map<string, ReadonlySet<string>>();
  const wrong: string[] = [];
  const writers = { isStopped: false, unanswered: 0, next: 1 };

  async function write(): Promise<void> {
    while (!writers.isStopped) {
      const number = writers.next++;
      const [first, second] = [`https://w.example/${number}`, `https://w.example/${number}/changed`];
      try {
        const domain = `w${number}.localhost`;
        const created = await product.api<{ id: string }>('POST', '/add-redirect', {
          fromDomain: domain,
          toDomain: first,
        });
        if (created.status !== 201) wrong.push(JSON.stringify(created));
        const { id } = created.body;
        written.set(id, new Set([first, second]));
        const changed = await product.api('PUT', `/update/${id}`, { toDomain: second });
        if (changed.status !== 200) wrong.push(JSON.stringify(changed));
        written.set(id, new Set([second]));
      } catch {
        writers.unanswered += 1;
        await pause(RETRY_MS);
      }
    }
  }

  const writes = Array.from({ length: WRITERS }, write);
  return {
    written,
    wrong,
    get unanswered() {
      return writers.unanswered;
    },
    async stop() {
      writers.isStopped = true;
      await Promise.all(writes);
    },
  };
}

/** Sets the pace of the traffic. It does not wait for a result. */
function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
