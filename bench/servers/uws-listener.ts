import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { loadUws } from '../../dataplane/http/load-uws.js';
import type { ServedHere } from './server-process.js';

/** A bare uWebSockets.js server on a free port of the loopback, with one handler for every request. */
export function listenUws(
  handler: (response: HttpResponse, request: HttpRequest) => void,
): Promise<ServedHere> {
  const uws = loadUws({ keepAliveSeconds: 75, warn: console.warn });
  return new Promise((resolve, reject) => {
    const app = uws.App();
    app.any('/*', handler);
    app.listen('127.0.0.1', 0, (socket) => {
      if (!socket) return reject(new Error('uWebSockets.js could not listen'));
      resolve({
        port: uws.us_socket_local_port(socket),
        async stop() {
          app.close();
          return undefined;
        },
      });
    });
  });
}
