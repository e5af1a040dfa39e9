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
