import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Treatment of one request. With `lost`, the server carries it out but the client gets no answer. */
export type Fate = 'pass' | 'lost' | { readonly status: number; readonly headers?: http.OutgoingHttpHeaders };

export interface UnreliableProxy {
  readonly url: string;
  /** Requests received, each with its headers. */
  readonly requests: readonly http.IncomingMessage[];
  close(): Promise<void>;
}

/** Starts a proxy that fails the first requests as `fates` says, and passes the others on. */
export async function startUnreliableProxy(target: string, fates: readonly Fate[]): Promise<UnreliableProxy> {
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer(async (request, response) => {
    const fate = fates[requests.push(request) - 1] ?? 'pass';
    if (typeof fate === 'object') {
      response.writeHead(fate.status, fate.headers).end('The proxy has an error.');
      return;
    }
    const answer = await forward(target, request);
    if (fate === 'lost') response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(target: string, request: http.IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const response = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  return { status: response.status, body: await response.text() };
}
