import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { messageOf } from '../../../../shared/process/error-facts.js';
import { encodeUpdate, readResponseCode, type TsigKey, type TxtChange } from './update-message.js';

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

/** @param server `host:port`. It is asked over TCP, where nobody can forge an answer without seeing the connection. */
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
