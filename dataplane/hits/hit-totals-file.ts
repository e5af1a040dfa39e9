import { type FileHandle, open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ignoring } from '../../shared/process/error-facts.js';

/** A producer's totals since it started. Other processes can read them after it was killed. The numbers only grow. */
export interface HitTotals {
  /** Hits chosen by sampling. */
  readonly recorded: number;
  /** Lost hits. */
  readonly dropped: number;
  /** Hits in batches that outlive the process: on disk or delivered. */
  readonly kept: number;
  /** The highest sequence of such a batch. */
  readonly sequence: number;
}

const MAGIC = Buffer.from('WMHT', 'latin1');
const FIELDS = ['recorded', 'dropped', 'kept', 'sequence'] as const;
const FIELD_BYTES = 8;
const CHECKSUM_AT = MAGIC.length + FIELDS.length * FIELD_BYTES;
const FILE_BYTES = CHECKSUM_AT + 4;

/** Opens the file and creates it if necessary. Its content stays until `writeHitTotals`. Rejects on disk errors. */
export async function openHitTotalsFile(filePath: string): Promise<FileHandle> {
  const file = await open(filePath, 'r+').catch(ignoring('ENOENT'));
  return file ?? open(filePath, 'wx', 0o600);
}

/**
 * Replaces the file's content in one write of less than a page: a reader finds the old or the new content. Rejects on
 * disk errors.
 */
export async function writeHitTotals(file: FileHandle, totals: HitTotals): Promise<void> {
  await file.write(encode(totals), 0, FILE_BYTES, 0);
}

/** Replaces the file's content; does nothing if the file is gone. Rejects on disk errors. */
export async function rewriteHitTotals(filePath: string, totals: HitTotals): Promise<void> {
  const file = await open(filePath, 'r+').catch(ignoring('ENOENT'));
  if (file !== undefined) await writeHitTotals(file, totals).finally(() => file.close());
}

/** Reads the file. Returns undefined when it is missing or incomplete. Rejects on disk errors. */
export async function readHitTotals(filePath: string): Promise<HitTotals | undefined> {
  const bytes = await readFile(filePath).catch(ignoring('ENOENT'));
  return bytes === undefined ? undefined : decode(bytes);
}

function encode(totals: HitTotals): Buffer {
  const bytes = Buffer.alloc(FILE_BYTES);
  bytes.set(MAGIC);
  // Doubles hold every integer up to 2^53.
  for (const [index, field] of FIELDS.entries()) bytes.writeDoubleBE(totals[field], fieldAt(index));
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes;
}

function decode(bytes: Buffer): HitTotals | undefined {
  if (bytes.length !== FILE_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (crc32(bytes.subarray(0, CHECKSUM_AT)) !== bytes.readUInt32BE(CHECKSUM_AT)) return undefined;
  const [recorded = 0, dropped = 0, kept = 0, sequence = 0] = FIELDS.map((_, index) =>
    bytes.readDoubleBE(fieldAt(index)),
  );
  return { recorded, dropped, kept, sequence };
}

function fieldAt(index: number): number {
  return MAGIC.length + index * FIELD_BYTES;
}
