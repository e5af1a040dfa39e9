import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { MAX_ENCODED_BATCH_BYTES } from '../../shared/hits/hit-batch-codec.js';

/** Length and CRC-32 of the following bytes, 32 bits each, big-endian. */
export const RECORD_HEADER_BYTES = 8;

export type SpoolRecord =
  | { readonly kind: 'record'; readonly payload: Buffer; readonly nextOffset: number }
  /** A record whose bytes differ from those that were written. The next one may be good. */
  | { readonly kind: 'damaged'; readonly nextOffset: number }
  /** The segment ends within a record that was being written when its process ended. */
  | { readonly kind: 'torn' }
  | { readonly kind: 'end' };

/** Returns the header that precedes an encoded batch in a segment. */
export function spoolRecordHeader(encoded: Uint8Array): Buffer {
  const header = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  header.writeUInt32BE(encoded.length, 0);
  header.writeUInt32BE(crc32(encoded), 4);
  return header;
}

/** Reads the record at `offset`. Rejects only on disk errors. */
export async function readSpoolRecord(segment: FileHandle, offset: number): Promise<SpoolRecord> {
  const header = await readFully(segment, offset, RECORD_HEADER_BYTES);
  if (header.length === 0) return { kind: 'end' };
  if (header.length < RECORD_HEADER_BYTES) return { kind: 'torn' };
  const length = header.readUInt32BE(0);
  // A file system shows zeros after a power cut if the length was stored before the content.
  if (length === 0 || length > MAX_ENCODED_BATCH_BYTES) return { kind: 'torn' };
  const payload = await readFully(segment, offset + RECORD_HEADER_BYTES, length);
  if (payload.length < length) return { kind: 'torn' };
  const nextOffset = offset + RECORD_HEADER_BYTES + length;
  if (crc32(payload) !== header.readUInt32BE(4)) return { kind: 'damaged', nextOffset };
  return { kind: 'record', payload, nextOffset };
}

/** Reads `length` bytes at `offset`; fewer only at the end of the file. */
async function readFully(segment: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await segment.read(buffer, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
