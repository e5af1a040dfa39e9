import { isCount } from '../ruleset/count.js';
import type { HitBatch } from './hit-batch.js';

const FIELDS = ['sequence', 'firstOrdinal', 'hitCount', 'createdAtMs'] as const;
const FIELD_BYTES = 8;

/** The numbers of a batch. */
export type HitBatchHeader = Pick<HitBatch, (typeof FIELDS)[number]>;

export const HIT_BATCH_HEADER_BYTES = FIELDS.length * FIELD_BYTES;

/** Writes the header at `at`, as doubles: they hold every number up to 2^53. */
export function writeHitBatchHeader(header: HitBatchHeader, bytes: Buffer, at: number): void {
  for (const [index, field] of FIELDS.entries()) bytes.writeDoubleBE(header[field], at + index * FIELD_BYTES);
}

/** The header at `at`, or undefined when one of its numbers cannot be right. */
export function readHitBatchHeader(bytes: Buffer, at: number): HitBatchHeader | undefined {
  const numbers = FIELDS.map((_, index) => bytes.readDoubleBE(at + index * FIELD_BYTES));
  const [sequence = 0, firstOrdinal = 0, hitCount = 0, createdAtMs = 0] = numbers;
  if (!numbers.every(isCount) || sequence === 0 || firstOrdinal === 0) return undefined;
  return { sequence, firstOrdinal, hitCount, createdAtMs };
}
