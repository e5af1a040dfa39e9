import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { HIT_COLUMN_TYPES, type HitColumn, READABLE_HIT_COLUMNS } from '../../shared/hits/hit-columns.js';
import { NativeFormatError, NativeReader, type TextValues } from '../../shared/native/native-reader.js';

/** First columns of a batch. They name its hits and find them in the store. */
export interface HitNames {
  /** Columns of the block. Older producers send fewer. */
  readonly columns: readonly HitColumn[];
  readonly redirects: TextValues;
  /** Unix times in milliseconds. */
  readonly timesMs: Float64Array;
}

/**
 * Reads the names of a batch's hits. They must match those of the batch. The engine reads the remaining columns.
 *
 * @param block of the batch, decompressed
 * @throws NativeFormatError
 */
export function readHitNames(block: Uint8Array, batch: HitBatch): HitNames {
  const { producerId, firstOrdinal, hitCount } = batch;
  const reader = new NativeReader(block);
  const columnCount = reader.varint();
  const columns = READABLE_HIT_COLUMNS.find(({ length }) => length === columnCount);
  const rows = reader.varint();
  if (columns === undefined || rows !== hitCount) {
    throw new NativeFormatError(
      `the block has ${columnCount} columns and ${rows} rows, which is not what was announced`,
    );
  }
  expectColumn(reader, 'producer_id');
  const { texts } = reader.texts(rows);
  if (texts.length !== 1 || texts[0] !== producerId) {
    throw new NativeFormatError('a row is not of the producer of its batch');
  }
  expectColumn(reader, 'ordinal');
  if (reader.uint64s(rows).some((ordinal, row) => ordinal !== firstOrdinal + row)) {
    throw new NativeFormatError('the ordinals of a batch do not follow each other');
  }
  expectColumn(reader, 'redirect_id');
  const redirects = reader.texts(rows);
  expectColumn(reader, 'timestamp');
  return { columns, redirects, timesMs: reader.uint64s(rows) };
}

function expectColumn(reader: NativeReader, name: keyof typeof HIT_COLUMN_TYPES): void {
  reader.expectColumn(name, HIT_COLUMN_TYPES[name]);
}

/**
 * Returns the ordinals of all hits of a batch, by redirect, in ascending order.
 *
 * @param redirects of its hits, row by row
 * @throws NativeFormatError when the dictionary contains a redirect twice
 */
export function ordinalsByRedirect(
  { texts, indexes }: TextValues,
  firstOrdinal: number,
): Map<string, Float64Array> {
  const ends = new Uint32Array(texts.length);
  for (const index of indexes) ends[index] = (ends[index] ?? 0) + 1;
  for (let index = 1; index < ends.length; index += 1)
    ends[index] = (ends[index] ?? 0) + (ends[index - 1] ?? 0);
  const starts = ends.slice();
  const ordinals = new Float64Array(indexes.length);
  for (let row = indexes.length - 1; row >= 0; row -= 1) {
    const index = indexes[row] ?? 0;
    const start = (starts[index] ?? 0) - 1;
    starts[index] = start;
    ordinals[start] = firstOrdinal + row;
  }
  const byRedirect = new Map(
    texts.map((text, index) => [text, ordinals.subarray(starts[index], ends[index])] as const),
  );
  if (byRedirect.size < texts.length) throw new NativeFormatError('a redirect is in the dictionary twice');
  return byRedirect;
}
