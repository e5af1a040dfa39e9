import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { createClient, TupleParam } from '@clickhouse/client';
import { openEmbeddedConnection } from './embedded-connection.js';

/**
 * ClickHouse's HTTP interface in front of the embedded engine. Supports every request that the client sends to a real
 * server (https://clickhouse.com/docs/interfaces/http).
 */
export interface TestServer {
  readonly url: string;
  /** Requests so far. The remote port identifies a connection. */
  readonly requests: {
    readonly statement: string;
    /** `Content-Encoding`, empty without. */
    readonly encoding: string;
    readonly connection: number;
  }[];
  /** Number of running statements. */
  running(): number;
  /** Accepts requests from now on but answers none, like a stopped server. */
  hang(): void;
  /** Answers the waiting requests and later ones. */
  goOn(): void;
  close(): Promise<void>;
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  '': (body) => body,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** @param tls key and certificate of `localhost` in PEM, for a server that speaks HTTPS */
export async function startClickhouseServer(
  folder: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<TestServer> {
  const engine = createClient({ connection: await openEmbeddedConnection(folder) });
  // A statement that runs takes its connection.
  const killer = createClient({ connection: await openEmbeddedConnection(folder) });
  let going = Promise.resolve();
  let goOn = () => {};
  const requests: TestServer['requests'] = [];
  let files = 0;

  /** The embedded engine reads bytes from files only. */
  async function fromFile(statement: string, body: Buffer): Promise<string> {
    // Each insert has a separate file, because several may run at the same time.
    files += 1;
    const file = `${folder}-insert-${files}.native`;
    await writeFile(file, body);
    return statement.replace(' SETTINGS ', ` FROM INFILE '${file}' SETTINGS `);
  }

  async function execute(request: IncomingMessage): Promise<string> {
    const { searchParams } = new URL(request.url ?? '/', 'http://server');
    const encoding = request.headers['content-encoding'] ?? '';
    const body = DECODERS[encoding]?.(await buffer(request)) ?? Buffer.alloc(0);
    const statement = searchParams.get('query') ?? '';
    const query = statement.endsWith('FORMAT Native')
      ? await fromFile(statement, body)
      : [statement, body.toString('utf8')].filter(Boolean).join('\n');
    requests.push({ statement: query, encoding, connection: request.socket.remotePort ?? 0 });
    const parameters = [...searchParams].filter(([name]) => name.startsWith('param_'));
    const query_params = Object.fromEntries(parameters.map(([name, value]) => [name.slice(6), typed(value)]));
    const client = query.startsWith('KILL QUERY') ? killer : engine;
    const { stream } = await client.exec({ query, query_params });
    return (await buffer(stream)).toString('utf8');
  }

  const underWay = new Set<Promise<unknown>>();

  const answer: RequestListener = async (request, response) => {
    await going;
    if (request.url === '/ping') return void response.end('Ok.\n');
    const execution = execute(request);
    underWay.add(execution);
    const end = () => underWay.delete(execution);
    execution.then(end, end);
    execution.then(
      (text) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text)),
      (error: Error & { code?: string; type?: string }) => {
        response.writeHead(500, { 'X-ClickHouse-Exception-Code': error.code ?? '0' });
        response.end(
          `Code: ${error.code}. DB::Exception: ${error.message} (${error.type}) (version 26.7.1.1)`,
        );
      },
    );
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `${tls === undefined ? 'http://default:@127.0.0.1' : 'https://default:@localhost'}:${(server.address() as AddressInfo).port}/default`,
    requests,
    running: () => underWay.size,
    hang() {
      going = new Promise((resolve) => {
        goOn = resolve;
      });
    },
    goOn: () => goOn(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      // The engine crashes if it is closed during a statement. The client may have stopped waiting for one.
      await Promise.allSettled(underWay);
      await engine.close();
      await killer.close();
    },
  };
}

/** Parameters arrive as text in ClickHouse's own notation; the engine's client wants them as values. */
function typed(value: string): unknown {
  if (value.startsWith('[')) return typedList(value);
  return value.replaceAll(
    /\\(.)/g,
    (_, escaped: string) => ({ n: '\n', t: '\t', r: '\r' })[escaped] ?? escaped,
  );
}

/** Of texts without quotes and brackets, or of tuples of these. */
function typedList(value: string): unknown[] {
  const json = value.replaceAll("'", '"').replaceAll('(', '[').replaceAll(')', ']');
  const items: unknown[] = JSON.parse(json);
  return items.map((item) => (Array.isArray(item) ? new TupleParam(item) : item));
}
