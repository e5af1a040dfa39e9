import { connect, type Socket } from 'node:net';

export interface HostileAnswer {
  readonly statusCode: number;
  /** By lower-case name. A repeated header has its last value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names as received, including repeated ones. */
  readonly headerNames: readonly string[];
  readonly body: string;
}

/** The server's response to bytes on a separate connection. */
export interface Exchange {
  readonly answers: readonly HostileAnswer[];
  /** Bytes before the first answer, which are not HTTP. */
  readonly preamble: string;
  /** Whether the server ended the connection. */
  readonly closed: boolean;
}

export interface ExchangeOptions {
  /** Silence of the server after which the exchange is over. */
  readonly quietMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Sends bytes (each character of a text is one) and collects the response until the server closes the connection or
 * falls silent. Resolves whatever happens to the connection. Rejects only when it cannot connect.
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { quietMs = 400 }: ExchangeOptions = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    let isConnected = false;
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...readAnswers(Buffer.concat(received).toString('latin1')), closed });
    };
    let timer = setTimeout(() => reject(new Error(`no connection to ${port}`)), CONNECT_TIMEOUT_MS);
    const restart = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), quietMs);
    };
    socket.on('connect', () => {
      isConnected = true;
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      restart();
    });
    socket.on('data', (chunk) => {
      received.push(chunk);
      restart();
    });
    // A server that has refused a request need not read on. Further bytes then cause a reset.
    socket.on('error', (error) => {
      if (isConnected) return;
      clearTimeout(timer);
      reject(error);
    });
    socket.on('close', () => {
      if (isConnected) finish(true);
    });
  });
}

/** Opens a connection for bytes sent by hand. Drops received data, or leaves it unread if `reads` is false. */
export function openSocket(port: number, { reads = true } = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      if (reads) socket.resume();
      else socket.pause();
      resolve(socket);
    });
  });
}

const STATUS_LINE_START = 'HTTP/1.1 ';

/**
 * Sends a bodiless request `count` times over one connection without waiting between them. Resolves with the last
 * answer.
 */
export async function pipeline(port: number, request: string, count: number): Promise<void> {
  const socket = await openSocket(port);
  const batch = 200;
  let sent = 0;
  let answered = 0;
  await new Promise<void>((resolve, reject) => {
    const sendBatch = (): void => {
      const size = Math.min(batch, count - sent);
      sent += size;
      socket.write(request.repeat(size), 'latin1');
    };
    socket.on('close', () => reject(new Error(`closed after ${answered} of ${count} answers`)));
    let rest = '';
    socket.on('data', (chunk) => {
      const parts = (rest + chunk.toString('latin1')).split(STATUS_LINE_START);
      answered += parts.length - 1;
      // The status line may continue in the next chunk.
      rest = parts.at(-1)?.slice(1 - STATUS_LINE_START.length) ?? '';
      if (answered >= count) resolve();
      else if (answered >= sent) sendBatch();
    });
    sendBatch();
  });
  socket.removeAllListeners('close').destroy();
}

/**
 * Finds every answer in the received text. It searches for status lines and ignores the length of the previous answer,
 * because some attacks hide an answer behind a wrong length.
 */
export function readAnswers(received: string): Pick<Exchange, 'answers' | 'preamble'> {
  const starts = [...received.matchAll(/HTTP\/1\.[01] \d{3} [^\r\n]*\r\n/g)].map(({ index }) => index);
  const answers = starts
    .map((start, order) => readAnswer(received.slice(start, starts[order + 1])))
    .filter(({ statusCode }) => statusCode !== 100);
  return { answers, preamble: received.slice(0, starts[0]) };
}

function readAnswer(text: string): HostileAnswer {
  const headEnd = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, headEnd === -1 ? undefined : headEnd).split('\r\n');
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    statusCode: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(fields),
    headerNames: fields.map(([name]) => name),
    body: headEnd === -1 ? '' : text.slice(headEnd + 4),
  };
}
