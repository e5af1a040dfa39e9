import { brotliCompressSync, brotliDecompressSync, crc32 } from 'node:zlib';
import type { HitBatch } from './hit-batch.js';
import { type HitBatchHeader, isId, parseHitBatchHeader } from './hit-batch-header.js';
import { QUICKEST } from './hit-block-compression.js';

/** Version of the encoding below and of `HIT_COLUMN_TYPES`. */
export const HIT_BATCH_FORMAT = 4;
/** No encoded batch is larger, nor is a header before its compression. */
export const MAX_ENCODED_BATCH_BYTES = 16 * 1024 * 1024;

export type DecodedHitBatch =
  | { readonly ok: true; readonly batch: HitBatch }
  | { readonly ok: false; readonly reason: string };

const MAGIC = Buffer.from('WMHB', 'latin1');
const VERSION_AT = MAGIC.length;
const PRODUCER_LENGTH_AT = VERSION_AT + 1;
const PRODUCER_AT = PRODUCER_LENGTH_AT + 2;
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 4;
const SMALLEST_BYTES = PRODUCER_AT + LENGTH_BYTES + CHECKSUM_BYTES;

/**
 * A batch as bytes: `WMHB`, one byte of format version, the producer's id with its length (16 bits) for those who only
 * pass it on, the length of the header (32 bits), the header (the rest but the block, as JSON compressed by Brotli),
 * the block, and the CRC-32 of all that. All numbers are big-endian.
 *
 * @throws {RangeError} beyond `MAX_ENCODED_BATCH_BYTES`
 */
export function encodeHitBatch(batch: HitBatch): Uint8Array {
  const { producerId, block, ...fields } = batch;
  const producer = Buffer.from(producerId);
  const header = brotliCompressSync(JSON.stringify(fields), QUICKEST);
  const headerLengthAt = PRODUCER_AT + producer.length;
  const headerAt = headerLengthAt + LENGTH_BYTES;
  const checksumAt = headerAt + header.length + block.length;
  if (checksumAt + CHECKSUM_BYTES > MAX_ENCODED_BATCH_BYTES) {
    throw new RangeError(`a batch takes at most ${MAX_ENCODED_BATCH_BYTES} bytes`);
  }
  const bytes = Buffer.allocUnsafe(checksumAt + CHECKSUM_BYTES);
  bytes.set(MAGIC);
  bytes[VERSION_AT] = HIT_BATCH_FORMAT;
  bytes.writeUInt16BE(producer.length, PRODUCER_LENGTH_AT);
  bytes.set(producer, PRODUCER_AT);
  bytes.writeUInt32BE(header.length, headerLengthAt);
  bytes.set(header, headerAt);
  bytes.set(block, headerAt + header.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, checksumAt)), checksumAt);
  return bytes;
}

/** The batch in `bytes`, or why there is none. Never throws. The block is a view of `bytes`, not a copy. */
export function decodeHitBatch(bytes: Uint8Array): DecodedHitBatch {
  const buffer = viewOf(bytes);
  if (buffer.length > MAX_ENCODED_BATCH_BYTES) return refused('longer than a batch may be');
  if (buffer.length < SMALLEST_BYTES) return refused('too short for a batch');
  if (!buffer.subarray(0, VERSION_AT).equals(MAGIC)) return refused('not a batch of hits');
  const version = buffer[VERSION_AT];
  if (version !== HIT_BATCH_FORMAT) return refused(`format ${version}, only ${HIT_BATCH_FORMAT} is known`);
  const checksumAt = buffer.length - CHECKSUM_BYTES;
  if (crc32(buffer.subarray(0, checksumAt)) !== buffer.readUInt32BE(checksumAt)) {
    return refused('checksum does not match: the batch is cut short or damaged');
  }
  const headerLengthAt = PRODUCER_AT + buffer.readUInt16BE(PRODUCER_LENGTH_AT);
  const headerAt = headerLengthAt + LENGTH_BYTES;
  if (headerAt > checksumAt) return refused('the id of its producer is longer than the batch');
  const blockAt = headerAt + buffer.readUInt32BE(headerLengthAt);
  if (blockAt > checksumAt) return refused('header is longer than the batch');
  const producerId = buffer.toString('utf8', PRODUCER_AT, headerLengthAt);
  const header = readHeader(buffer.subarray(headerAt, blockAt));
  if (header === undefined || !isId(producerId)) return refused('header is malformed');
  const block = buffer.subarray(blockAt, checksumAt);
  if ((block.length === 0) !== (header.hitCount === 0)) return refused('hitCount is not the number of rows');
  return { ok: true, batch: { producerId, ...header, block } };
}

/** The producer of an encoded batch, without a look at the rest; undefined for what does not begin as one. */
export function producerIdOf(encoded: Uint8Array): string | undefined {
  const buffer = viewOf(encoded);
  if (buffer.length < SMALLEST_BYTES || !buffer.subarray(0, VERSION_AT).equals(MAGIC)) return undefined;
  const producerId = buffer.toString(
    'utf8',
    PRODUCER_AT,
    PRODUCER_AT + buffer.readUInt16BE(PRODUCER_LENGTH_AT),
  );
  return isId(producerId) ? producerId : undefined;
}

function readHeader(compressed: Uint8Array): HitBatchHeader | undefined {
  try {
    return parseHitBatchHeader(
      brotliDecompressSync(compressed, { maxOutputLength: MAX_ENCODED_BATCH_BYTES }),
    );
  } catch {
    return undefined;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refused(reason: string): DecodedHitBatch {
  return { ok: false, reason };
}
