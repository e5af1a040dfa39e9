import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawAnswer {
  readonly statusCode: number;
  /** By lower-case name; the last of repeated ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** Head and body as received, bytes as Latin-1. */
  readonly text: string;
  readonly body: string;
}

export interface RawConnection {
  /** Sends bytes; each character is one. */
  send(text: string): void;
  /**
   * Reads the next answer on this connection.
   *
   * @param isHead whether it answers a HEAD, so that no body follows
   * @throws when the connection ends before the answer is complete
   */
  answer(isHead?: boolean): Promise<RawAnswer>;
  /** Resolves with the unread rest when the server has closed the connection. */
  closed(): Promise<string>;
  /** Received bytes that `answer` did not read. */
  unread(): string;
}

/** A connection on which a test sends single bytes. Closed when the test ends. */
export async function openConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host);
  let received = '';
  let hasEnded = false;
  let wake = (): void => {};
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    hasEnded = true;
    wake();
  });
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');

  const more = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  return {
    send: (text) => void socket.write(text, 'latin1'),
    async answer(isHead = false) {
      for (;;) {
        const answer = takeAnswer(received, isHead);
        if (answer !== undefined) {
          received = received.slice(answer.text.length);
          return answer;
        }
        if (hasEnded) throw new Error(`the connection ended after ${JSON.stringify(received)}`);
        await more();
      }
    },
    async closed() {
      while (!hasEnded) await more();
      return received;
    },
    unread: () => received,
  };
}

/** Sends one request on a connection of its own. */
export async function exchange(port: number, request: string, host?: string): Promise<RawAnswer> {
  const connection = await openConnection(port, host);
  connection.send(request);
  return connection.answer(request.startsWith('HEAD '));
}

/** Builds a request without a body from whole header lines. */
export function request(
  target: string,
  host: string,
  { method = 'GET', headers = [] as string[] } = {},
): string {
  return [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
}

function takeAnswer(received: string, isHead: boolean): RawAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyLength = isHead ? 0 : Number(headers['content-length'] ?? 0);
  const bodyStart = headEnd + 4;
  if (received.length < bodyStart + bodyLength) return undefined;
  return {
    statusCode: Number(statusLine.split(' ')[1]),
    headers,
    text: received.slice(0, bodyStart + bodyLength),
    body: received.slice(bodyStart, bodyStart + bodyLength),
  };
}
