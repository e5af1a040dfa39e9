import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy on the loopback. It can make a server unreachable and reachable again at the same address. */
export interface PausableProxy {
  readonly address: string;
  /** `refused`: nothing listens. `unreachable`: the proxy answers 502. */
  setServer(state: 'there' | 'refused' | 'unreachable'): Promise<void>;
}

export async function startProxy(target: string): Promise<PausableProxy> {
  let isReachable = true;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (!isReachable) {
      response.writeHead(502).end('Bad Gateway');
      return;
    }
    const { method, headers, url = '/' } = request;
    const asked = http.request(new URL(url, target), { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  }

  async function listen(at: number): Promise<http.Server> {
    const started = http.createServer(answer).listen(at, '127.0.0.1');
    await once(started, 'listening');
    return started;
  }

  async function close(): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  return {
    address: `http://127.0.0.1:${port}`,
    async setServer(state) {
      isReachable = state === 'there';
      if (state === 'refused') await close();
      else if (!server.listening) server = await listen(port);
    },
  };
}
