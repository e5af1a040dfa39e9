import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import net from 'node:net';

/** A TCP link to a PostgreSQL server that counts round trips. */
export interface CountedLink {
  /** URL of the database through the link. */
  readonly url: string;
  /** Number of times, on any connection, that the client has sent something after an answer. */
  roundTrips(): number;
  close(): Promise<void>;
}

/** @param url of the database */
export async function openCountedLink(url: string): Promise<CountedLink> {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  let trips = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let isAnswered = true;
    client.on('data', (data) => {
      if (isAnswered) trips += 1;
      isAnswered = false;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      isAnswered = true;
      client.write(data);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay();
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const linked = new URL(url);
  linked.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: linked.href,
    roundTrips: () => trips,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
