import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createClient } from '@clickhouse/client';
import { openEmbeddedConnection } from './embedded-connection.js';

/**
 * ClickHouse's HTTP interface in front of the embedded engine: enough of it for the client to send what it sends
 * to a real server (https://clickhouse.com/docs/interfaces/http).
 */
export interface TestServer {
  readonly url: string;
  /** Requests so far; a connection goes by its remote port. */
  readonly requests: {
    readonly statement: string;
    readonly compressed: boolean;
    readonly connection: number;
  }[];
  close(): Promise<void>;
}

export async function startClickhouseServer(folder: string): Promise<TestServer> {
  const engine = createClient({ connection: await openEmbeddedConnection(folder) });
  const requests: TestServer['requests'] = [];

  async function execute(request: IncomingMessage): Promise<string> {
    const { searchParams } = new URL(request.url ?? '/', 'http://server');
    const raw = await buffer(request);
    const compressed = request.headers['content-encoding'] === 'gzip';
    const body = (compressed ? gunzipSync(raw) : raw).toString('utf8');
    const query = [searchParams.get('query'), body].filter(Boolean).join('\n');
    requests.push({ statement: query, compressed, connection: request.socket.remotePort ?? 0 });
    const parameters = [...searchParams].filter(([name]) => name.startsWith('param_'));
    const query_params = Object.fromEntries(parameters.map(([name, value]) => [name.slice(6), typed(value)]));
    const { stream } = await engine.exec({ query, query_params });
    return (await buffer(stream)).toString('utf8');
  }

  const server = createServer((request, response) => {
    execute(request).then(
      (text) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text)),
      (error: Error & { code?: string; type?: string }) => {
        response.writeHead(500, { 'X-ClickHouse-Exception-Code': error.code ?? '0' });
        response.end(
          `Code: ${error.code}. DB::Exception: ${error.message} (${error.type}) (version 26.7.1.1)`,
        );
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://default:@127.0.0.1:${(server.address() as AddressInfo).port}/default`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await engine.close();
    },
  };
}

/** Parameters arrive as text in ClickHouse's own notation; the engine's client wants them as values. */
function typed(value: string): unknown {
  if (value.startsWith('[')) return JSON.parse(value.replaceAll("'", '"'));
  return value.replaceAll(
    /\\(.)/g,
    (_, escaped: string) => ({ n: '\n', t: '\t', r: '\r' })[escaped] ?? escaped,
  );
}
