import { createHmac, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { messageOf } from '../../../../shared/process/error-facts.js';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_537;

/** The name server refuses an update, or does not answer. */
export class UpdateRefused extends Error {
  override name = 'UpdateRefused';
}

/** Changes records of the operator's name server. */
export interface DnsUpdates {
  /** @throws {UpdateRefused} */
  send(change: TxtChange): Promise<void>;
}

/** @param server `host:port`. Updates use TCP, because an attacker must see the connection to forge an answer. */
export function createDnsUpdates(server: string, key: TsigKey): DnsUpdates {
  const at = server.lastIndexOf(':');
  const host = server.slice(0, at).replace(/^\[|\]$/g, '');
  const port = Number(server.slice(at + 1));
  return {
    async send(change) {
      const id = randomInt(65_536);
      let code: string;
      try {
        code = readResponseCode(await exchange(host, port, encodeUpdate(change, key, id, Date.now())), id);
      } catch (cause) {
        throw new UpdateRefused(`${server} does not answer: ${messageOf(cause)}`, { cause });
      }
      if (code === 'NOERROR') return;
      const hint = code === 'NOTAUTH' ? '; the key, its name or a clock is wrong' : '';
      throw new UpdateRefused(`${server} refuses to change ${change.name} (${code}${hint})`);
    },
  };
}

/** Sends a message over TCP, where its length precedes it (RFC 1035, section 4.2.2). */
function exchange(host: string, port: number, message: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    let received = Buffer.alloc(0);
    const socket = connect({ host, port }, () => socket.write(Buffer.concat([length, message])));
    const end = (finish: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      finish();
    };
    const timer = setTimeout(() => end(() => reject(new Error('the time is over'))), TIMEOUT_MS);
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('end', () => end(() => reject(new Error('the connection was closed'))));
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part]).subarray(0, MAX_ANSWER_BYTES);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      end(() => resolve(received.subarray(2)));
    });
  });
}

// Numbers of RFC 1035, RFC 2136 and RFC 8945.
const OPCODE_UPDATE = 5 << 11;
const TYPE = { soa: 6, txt: 16, tsig: 250 };
const CLASS = { in: 1, none: 254, any: 255 };
const ALGORITHM = 'hmac-sha256';
/** Maximum difference of the clocks, in seconds. */
const FUDGE_SECONDS = 300;
const TTL_SECONDS = 30;
const MAX_LABEL_LENGTH = 63;
const MAX_TEXT_LENGTH = 255;

/** Key that a name server shares with this service. */
export interface TsigKey {
  readonly name: string;
  readonly secret: Buffer;
}

/** Change of one TXT record. */
interface TxtChange {
  readonly action: 'add' | 'remove';
  /** Zone of the name server that holds the record. */
  readonly zone: string;
  readonly name: string;
  /** Text of at most 255 bytes. */
  readonly value: string;
}

/**
 * Returns a dynamic update (RFC 2136) with a transaction signature (HMAC-SHA256, RFC 8945). The update is idempotent:
 * it can add an existing record and remove a missing one.
 *
 * @param id of the message, 16 bits
 * @param nowMs Unix ms
 */
function encodeUpdate(change: TxtChange, key: TsigKey, id: number, nowMs: number): Buffer {
  const { action, zone, name, value } = change;
  const text = Buffer.from(value);
  if (text.length > MAX_TEXT_LENGTH) throw new Error('a text of more than 255 bytes needs several strings');
  const isAddition = action === 'add';
  const update = Buffer.concat([
    ...[encodeName(zone), numbers(TYPE.soa, CLASS.in), encodeName(name)],
    record(TYPE.txt, isAddition ? CLASS.in : CLASS.none, isAddition ? TTL_SECONDS : 0, [
      Buffer.from([text.length]),
      text,
    ]),
  ]);
  const header = (additional: number) => numbers(id, OPCODE_UPDATE, 1, 0, 1, additional);
  const unsigned = Buffer.concat([header(0), update]);
  return Buffer.concat([header(1), update, signature(unsigned, key, id, nowMs)]);
}

function signature(unsigned: Buffer, { name, secret }: TsigKey, id: number, nowMs: number): Buffer {
  const keyName = encodeName(name);
  const seconds = Buffer.alloc(6);
  seconds.writeUIntBE(Math.floor(nowMs / 1_000), 0, 6);
  const timed = [encodeName(ALGORITHM), seconds, numbers(FUDGE_SECONDS)];
  const noErrorNorData = numbers(0, 0);
  const mac = createHmac('sha256', secret)
    .update(Buffer.concat([unsigned, keyName, numbers(CLASS.any, 0, 0), ...timed, noErrorNorData]))
    .digest();
  const content = [...timed, numbers(mac.length), mac, numbers(id), noErrorNorData];
  return Buffer.concat([keyName, record(TYPE.tsig, CLASS.any, 0, content)]);
}

/** Returns a record without its name. */
function record(type: number, inClass: number, ttlSeconds: number, content: readonly Buffer[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([numbers(type, inClass, ttlSeconds >> 16, ttlSeconds & 0xffff, data.length), data]);
}

/** Returns a name in its canonical form: lower case, without compression. */
function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().split('.');
  return Buffer.concat([
    ...labels.map((label) => {
      const bytes = Buffer.from(label, 'latin1');
      if (bytes.length === 0 || bytes.length > MAX_LABEL_LENGTH) throw new Error(`${name} is no DNS name`);
      return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    }),
    Buffer.from([0]),
  ]);
}

/** Returns numbers of 16 bits each. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

const RCODES = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
];

/**
 * Returns the name of the response code in an answer.
 *
 * @throws when the answer is not one to the message with this id
 */
function readResponseCode(answer: Buffer, id: number): string {
  if (answer.length < 12 || answer.readUInt16BE(0) !== id) throw new Error('the answer is not to the update');
  const code = answer.readUInt16BE(2) & 0xf;
  return RCODES[code] ?? `RCODE${code}`;
}
