import dgram from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

const NO_SUCH_NAME = 3;

export interface AddressServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Sets the addresses of a name. Each query for its IPv4 address takes the next answer; the last one stays. */
  set(name: string, ...ipv4Answers: readonly (readonly string[])[]): void;
  /** Returns the number of queries for the IPv4 addresses of a name. */
  asked(name: string): number;
  close(): Promise<void>;
}

/** Starts a real name server whose answers change from query to query, as in DNS rebinding. */
export async function startAddressServer(): Promise<AddressServer> {
  const zone = new Map<string, (readonly string[])[]>();
  const asked = new Map<string, number>();
  const socket = dgram.createSocket('udp4');

  function answersTo(name: string, type: string): Answer[] {
    const answers = zone.get(name) ?? [];
    if (type !== 'A') return [];
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    return addresses.map((data) => ({ type: 'A', name, ttl: 0, data }));
  }

  socket.on('message', (bytes, peer) => {
    const { id = 0, questions = [] } = decode(bytes);
    const { name, type } = questions[0]!;
    const rcode = zone.has(name) ? 0 : NO_SUCH_NAME;
    const flags = RECURSION_AVAILABLE | rcode;
    const answers = answersTo(name, type);
    socket.send(encode({ type: 'response', id, flags, questions, answers }), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, ...answers) => void zone.set(name, [...answers]),
    asked: (name) => asked.get(name) ?? 0,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}
