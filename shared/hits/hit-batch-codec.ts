import { crc32 } from 'node:zlib';
import type { HitBatch } from './hit-batch.js';
import { parseHitBatchHeader } from './hit-batch-header.js';

/** Version of the encoding below and of `HIT_COLUMNS`. */
export const HIT_BATCH_FORMAT = 3;

/** No encoded batch is larger. */
export const MAX_ENCODED_BATCH_BYTES = 16 * 1024 * 1024;

export type DecodedHitBatch =
  | { readonly ok: true; readonly batch: HitBatch }
  | { readonly ok: false; readonly reason: string };

const MAGIC = Buffer.from('WMHB', 'latin1');
const VERSION_AT = MAGIC.length;
const HEADER_LENGTH_AT = VERSION_AT + 1;
const HEADER_AT = HEADER_LENGTH_AT + 4;
const CHECKSUM_BYTES = 4;
const NEWLINE = 0x0a;

/**
 * A batch as bytes: `WMHB`, one byte of format version, the length of the header (32 bits, big-endian), the
 * header (everything but the rows, as JSON), the rows, and the CRC-32 of all that (32 bits, big-endian).
 *
 * @throws {RangeError} beyond `MAX_ENCODED_BATCH_BYTES`
 */
export function encodeHitBatch(batch: HitBatch): Uint8Array {
  const { rows, ...fields } = batch;
  const header = Buffer.from(JSON.stringify(fields));
  const rowsAt = HEADER_AT + header.length;
  const checksumAt = rowsAt + rows.length;
  if (checksumAt + CHECKSUM_BYTES > MAX_ENCODED_BATCH_BYTES) {
    throw new RangeError(`a batch takes at most ${MAX_ENCODED_BATCH_BYTES} bytes`);
  }
  const bytes = Buffer.allocUnsafe(checksumAt + CHECKSUM_BYTES);
  bytes.set(MAGIC);
  bytes[VERSION_AT] = HIT_BATCH_FORMAT;
  bytes.writeUInt32BE(header.length, HEADER_LENGTH_AT);
  bytes.set(header, HEADER_AT);
  bytes.set(rows, rowsAt);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, checksumAt)), checksumAt);
  return bytes;
}

/** The batch in `bytes`, or why there is none. Never throws. The rows are a view of `bytes`, not a copy. */
export function decodeHitBatch(bytes: Uint8Array): DecodedHitBatch {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length > MAX_ENCODED_BATCH_BYTES) return refused('longer than a batch may be');
  if (buffer.length < HEADER_AT + CHECKSUM_BYTES) return refused('too short for a batch');
  if (!buffer.subarray(0, VERSION_AT).equals(MAGIC)) return refused('not a batch of hits');
  const version = buffer[VERSION_AT];
  if (version !== HIT_BATCH_FORMAT) return refused(`format ${version}, only ${HIT_BATCH_FORMAT} is known`);
  const checksumAt = buffer.length - CHECKSUM_BYTES;
  if (crc32(buffer.subarray(0, checksumAt)) !== buffer.readUInt32BE(checksumAt)) {
    return refused('checksum does not match: the batch is cut short or damaged');
  }
  const rowsAt = HEADER_AT + buffer.readUInt32BE(HEADER_LENGTH_AT);
  if (rowsAt > checksumAt) return refused('header is longer than the batch');
  const header = parseHitBatchHeader(buffer.subarray(HEADER_AT, rowsAt));
  if (header === undefined) return refused('header is malformed');
  const rows = buffer.subarray(rowsAt, checksumAt);
  if (countLines(rows) !== header.hitCount) return refused('hitCount is not the number of rows');
  return { ok: true, batch: { ...header, rows } };
}

function refused(reason: string): DecodedHitBatch {
  return { ok: false, reason };
}

/** Number of lines, each of which ends in a newline; -1 when the last one does not. */
function countLines(rows: Buffer): number {
  if (rows.length > 0 && rows[rows.length - 1] !== NEWLINE) return -1;
  let count = 0;
  for (let at = rows.indexOf(NEWLINE); at !== -1; at = rows.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
