import { crc32 } from 'node:zlib';
import { NativeFormatError, NativeReader } from '../native/native-reader.js';
import { isCount } from '../ruleset/count.js';
import { isId } from './batch-bounds.js';
import { recordsOf } from './counter-records.js';
import type { HitBatch } from './hit-batch.js';
import { readCounters } from './read-counters.js';

/** Version of the encoding below and of `HIT_COLUMN_TYPES`. */
export const HIT_BATCH_FORMAT = 8;
/**
 * Readable formats. During an upgrade, spools and Kafka may have older batches. Batches of format 5 have no human hits.
 * Those of formats 5 and 6 have no draws. Those before format 8 have neither entries beside rules nor requested hosts.
 */
const READABLE_FORMATS: readonly number[] = [5, 6, 7, HIT_BATCH_FORMAT];
const FIRST_FORMAT_WITH_PEOPLE = 6;
/** Maximum size of an encoded batch. */
export const MAX_ENCODED_BATCH_BYTES = 16 * 1024 * 1024;

export type DecodedHitBatch =
  | { readonly ok: true; readonly batch: HitBatch }
  | { readonly ok: false; readonly reason: string };

/** A batch whose counters are bytes written by `CounterRecords`. */
export interface HitBatchOfRecords extends Omit<HitBatch, 'counters' | 'ruleCounters'> {
  readonly counterRecords: Uint8Array;
}

const HEADER_FIELDS = ['sequence', 'firstOrdinal', 'hitCount', 'createdAtMs'] as const;
const FIELD_BYTES = 8;

/** The numbers of a batch. */
type HitBatchHeader = Pick<HitBatch, (typeof HEADER_FIELDS)[number]>;

const HIT_BATCH_HEADER_BYTES = HEADER_FIELDS.length * FIELD_BYTES;

const MAGIC = Buffer.from('WMHB', 'latin1');
const VERSION_AT = MAGIC.length;
const PRODUCER_LENGTH_AT = VERSION_AT + 1;
const PRODUCER_AT = PRODUCER_LENGTH_AT + 2;
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 4;
/** Size of the fixed-length part after the producer's id. */
const FIXED_BYTES = HIT_BATCH_HEADER_BYTES + LENGTH_BYTES;
const SMALLEST_BYTES = PRODUCER_AT + FIXED_BYTES + CHECKSUM_BYTES;

/**
 * Encodes a batch. The parts are: `WMHB`, format version (one byte), length of the producer id (16 bits), producer id,
 * header, length of the counters (32 bits), counter records, block, CRC-32 of all previous parts. Numbers before the
 * counters are big-endian. The producer id comes first for readers that only pass the batch on.
 *
 * @throws {RangeError} beyond `MAX_ENCODED_BATCH_BYTES`
 */
export function encodeHitBatchOfRecords(batch: HitBatchOfRecords): Uint8Array {
  const { counterRecords, block } = batch;
  const producer = Buffer.from(batch.producerId);
  const headerAt = PRODUCER_AT + producer.length;
  const countersAt = headerAt + FIXED_BYTES;
  const blockAt = countersAt + counterRecords.length;
  const checksumAt = blockAt + block.length;
  if (checksumAt + CHECKSUM_BYTES > MAX_ENCODED_BATCH_BYTES) {
    throw new RangeError(`a batch takes at most ${MAX_ENCODED_BATCH_BYTES} bytes`);
  }
  const bytes = Buffer.allocUnsafe(checksumAt + CHECKSUM_BYTES);
  bytes.set(MAGIC);
  bytes[VERSION_AT] = HIT_BATCH_FORMAT;
  bytes.writeUInt16BE(producer.length, PRODUCER_LENGTH_AT);
  bytes.set(producer, PRODUCER_AT);
  writeHitBatchHeader(batch, bytes, headerAt);
  bytes.writeUInt32BE(counterRecords.length, countersAt - LENGTH_BYTES);
  bytes.set(counterRecords, countersAt);
  bytes.set(block, blockAt);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, checksumAt)), checksumAt);
  return bytes;
}

/** Encodes a batch whose counters are objects. Throws like {@link encodeHitBatchOfRecords}. */
export function encodeHitBatch(batch: HitBatch): Uint8Array {
  return encodeHitBatchOfRecords({ ...batch, counterRecords: recordsOf(batch.counters, batch.ruleCounters) });
}

/**
 * Decodes a batch, or returns the reason why it cannot be decoded. Never throws. The block is a view of `bytes`, not a
 * copy.
 */
export function decodeHitBatch(bytes: Uint8Array): DecodedHitBatch {
  const buffer = viewOf(bytes);
  if (buffer.length > MAX_ENCODED_BATCH_BYTES) return refused('longer than a batch may be');
  if (buffer.length < SMALLEST_BYTES) return refused('too short for a batch');
  if (!buffer.subarray(0, VERSION_AT).equals(MAGIC)) return refused('not a batch of hits');
  const format = buffer[VERSION_AT] ?? 0;
  if (!READABLE_FORMATS.includes(format)) {
    return refused(
      `format ${format}, only ${READABLE_FORMATS.slice(0, -1).join(', ')} and ${HIT_BATCH_FORMAT} are known`,
    );
  }
  const checksumAt = buffer.length - CHECKSUM_BYTES;
  if (crc32(buffer.subarray(0, checksumAt)) !== buffer.readUInt32BE(checksumAt)) {
    return refused('checksum does not match: the batch is cut short or damaged');
  }
  return decodeParts(buffer, checksumAt, format);
}

function decodeParts(buffer: Buffer, end: number, format: number): DecodedHitBatch {
  const headerAt = PRODUCER_AT + buffer.readUInt16BE(PRODUCER_LENGTH_AT);
  const countersAt = headerAt + FIXED_BYTES;
  if (countersAt > end) return refused('the id of its producer is longer than the batch');
  const blockAt = countersAt + buffer.readUInt32BE(countersAt - LENGTH_BYTES);
  if (blockAt > end) return refused('counters are longer than the batch');
  const producerId = buffer.toString('utf8', PRODUCER_AT, headerAt);
  const header = readHitBatchHeader(buffer, headerAt);
  if (header === undefined || !isId(producerId)) return refused('header is malformed');
  const counters = decodeCounters(buffer.subarray(countersAt, blockAt), format);
  if (!counters.ok) return counters;
  const block = buffer.subarray(blockAt, end);
  if ((block.length === 0) !== (header.hitCount === 0)) return refused('hitCount is not the number of rows');
  return { ok: true, batch: { producerId, ...header, ...counters.read, block } };
}

/** Returns the producer id of an encoded batch without decoding the rest. Returns undefined for other bytes. */
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

function decodeCounters(records: Uint8Array, format: number) {
  try {
    const countsPeople = format >= FIRST_FORMAT_WITH_PEOPLE;
    return { ok: true, read: readCounters(new NativeReader(records), countsPeople) } as const;
  } catch (error) {
    if (!(error instanceof NativeFormatError)) throw error;
    return { ok: false, reason: `counters are malformed: ${error.message}` } as const;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refused(reason: string): DecodedHitBatch {
  return { ok: false, reason };
}

/** Writes the header at `at` as doubles, which represent every integer up to 2^53. */
function writeHitBatchHeader(header: HitBatchHeader, bytes: Buffer, at: number): void {
  for (const [index, field] of HEADER_FIELDS.entries())
    bytes.writeDoubleBE(header[field], at + index * FIELD_BYTES);
}

/** Reads the header at `at`. Returns undefined if one of its numbers is invalid. */
function readHitBatchHeader(bytes: Buffer, at: number): HitBatchHeader | undefined {
  const numbers = HEADER_FIELDS.map((_, index) => bytes.readDoubleBE(at + index * FIELD_BYTES));
  const [sequence = 0, firstOrdinal = 0, hitCount = 0, createdAtMs = 0] = numbers;
  if (!numbers.every(isCount) || sequence === 0 || firstOrdinal === 0) return undefined;
  return { sequence, firstOrdinal, hitCount, createdAtMs };
}
