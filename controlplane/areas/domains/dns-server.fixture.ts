import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { decode } from 'dns-packet';
import { answerTo, type DnsBehaviour } from './dns-zone.fixture.js';

export type { DnsBehaviour } from './dns-zone.fixture.js';

export interface DnsQuery {
  readonly name: string;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
}

export interface DnsServer {
  /** `127.0.0.1:port`, for both UDP and TCP. */
  readonly address: string;
  /** Replaces the TXT records of a name; a list is a record of several strings. */
  setTxt(name: string, records: readonly (string | readonly string[])[]): void;
  set(name: string, behaviour: DnsBehaviour): void;
  /** Questions received so far, in order. */
  queries(): readonly DnsQuery[];
  /** Resolves when `count` questions have arrived. */
  whenAsked(count: number): Promise<void>;
  close(): Promise<void>;
}

interface HeldQuestion {
  readonly name: string;
  answer(): void;
}

/**
 * Starts a real DNS server for tests. Names are compared regardless of case. An unknown name does not exist
 * (NXDOMAIN), unless a name below it is known (then NODATA).
 */
export async function startDnsServer(): Promise<DnsServer> {
  const zone = new Map<string, DnsBehaviour>();
  const queries: DnsQuery[] = [];
  const waiting = new Set<{ readonly count: number; resolve(): void }>();
  const connections = new Set<net.Socket>();
  let held: HeldQuestion[] = [];

  function lookUp(name: string): DnsBehaviour {
    const key = name.toLowerCase();
    const isParent = [...zone.keys()].some((other) => other.endsWith(`.${key}`));
    return zone.get(key) ?? (isParent ? 'nodata' : 'nxdomain');
  }

  function receive(message: Buffer, transport: 'udp' | 'tcp', send: (answer: Buffer) => void): void {
    const query = decode(message);
    const { name, type } = query.questions![0]!;
    function answer(): void {
      const bytes = answerTo(query, transport, lookUp);
      if (bytes) send(bytes);
    }
    if (lookUp(name) === 'held') held.push({ name: name.toLowerCase(), answer });
    else answer();
    queries.push({ name, type, transport });
    for (const waiter of waiting) if (queries.length >= waiter.count) waiter.resolve();
  }

  function set(name: string, behaviour: DnsBehaviour): void {
    const key = name.toLowerCase();
    zone.set(key, behaviour);
    if (behaviour === 'held') return;
    const released = held.filter((question) => question.name === key);
    held = held.filter((question) => question.name !== key);
    for (const question of released) question.answer();
  }

  const tcp = net.createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        receive(pending.subarray(2, end), 'tcp', (answer) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(answer.length);
          if (socket.writable) socket.write(Buffer.concat([length, answer]));
        });
        pending = pending.subarray(end);
      }
    });
  });
  const { udp, port } = await bindBoth(tcp);
  udp.on('message', (message, peer) =>
    receive(message, 'udp', (answer) => udp.send(answer, peer.port, peer.address)),
  );

  return {
    address: `127.0.0.1:${port}`,
    set,
    setTxt: (name, txt) => set(name, { txt }),
    queries: () => [...queries],
    async whenAsked(count) {
      if (queries.length >= count) return;
      await new Promise<void>((resolve) => waiting.add({ count, resolve }));
    },
    async close() {
      for (const socket of connections) socket.destroy();
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

/** Binds TCP to a free port first. If the port is in use for UDP, both try another one. */
async function bindBoth(tcp: net.Server): Promise<{ udp: dgram.Socket; port: number }> {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as net.AddressInfo;
    const udp = dgram.createSocket('udp4');
    try {
      udp.bind(port, '127.0.0.1');
      await once(udp, 'listening');
      return { udp, port };
    } catch {
      udp.close();
      const closed = once(tcp, 'close');
      tcp.close();
      await closed;
    }
  }
}
