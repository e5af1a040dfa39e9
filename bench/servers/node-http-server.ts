import { once } from 'node:events';
import { createServer } from 'node:http';
import { benchRedirects } from '../traffic/bench-request.js';
import { serve } from './server-process.js';

// Answers from a Map from host to destination, with Node's own HTTP server.
await serve(async ({ redirects: { hostCount } }) => {
  const destinations = new Map(benchRedirects(hostCount).map(({ host, destination }) => [host, destination]));
  const server = createServer((request, response) => {
    const destination = destinations.get(request.headers.host ?? '');
    if (destination === undefined) {
      response.writeHead(404).end('unknown host');
      return;
    }
    response.writeHead(301, { Location: destination + request.url, 'Content-Length': 0 }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      return undefined;
    },
  };
});
