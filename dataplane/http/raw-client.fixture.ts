import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawAnswer {
  readonly statusCode: number;
  /** By lower-case name; of repeated ones the last. */
  readonly headers: Readonly<Record<string, string>>;
  /** Head and body as they came, bytes as Latin-1. */
  readonly text: string;
  readonly body: string;
}

export interface RawConnection {
  /** Sends bytes; each character is one. */
  send(text: string): void;
  /**
   * The next answer on this connection.
   *
   * @param isHead whether it answers a HEAD, so that no body follows whatever its length says
   * @throws when the connection ends before the answer is whole
   */
  answer(isHead?: boolean): Promise<RawAnswer>;
  /** Resolves with what was left unread when the other side has closed the connection. */
  closed(): Promise<string>;
  /** What has come and was not taken by `answer`. */
  unread(): string;
}

/** A connection on which a test says byte by byte what is sent. It is closed when the test ends. */
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

/** A request with no body. Header lines are given whole. */
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
