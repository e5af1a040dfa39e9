import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { freePort } from './free-ports.js';

export interface TcpGateOptions {
  /** Returns the target port; called for each connection. */
  readonly targetPort: () => number;
  /** Returns a filter for bytes from the server; without it all bytes pass unchanged. */
  readonly filter?: (() => Duplex) | undefined;
  /** Returns a filter for each direction of a connection. */
  readonly link?: (() => Duplex) | undefined;
}

/** A port in front of a server, which can be closed while the server runs. */
export interface TcpGate {
  readonly port: number;
  open(): Promise<void>;
  /** Cuts all connections and refuses new ones. */
  close(): Promise<void>;
}

/** An open gate. */
export async function createTcpGate({ targetPort, filter, link }: TcpGateOptions): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort(), '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('error', () => socket.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    const over = (source: Readable, through: (() => Duplex) | undefined) =>
      through === undefined ? source : source.pipe(through());
    over(client, link).pipe(target);
    over(over(target, link), filter).pipe(client);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port,
    async open() {
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
