import type { NativeWriter } from './native-writer.js';

/**
 * Header of a LowCardinality column (ClickHouse, SerializationLowCardinality.cpp): the version of the format, and
 * flags. The column carries its own keys, with indexes of 1, 2 or 4 bytes.
 */
export const LOW_CARDINALITY_VERSION = 1;
export const OWN_KEYS = 0x600;
export type IndexBytes = 1 | 2 | 4;
const INDEX_TYPES: Readonly<Record<IndexBytes, number>> = { 1: 0, 2: 1, 4: 2 };
const HAS_KEYS = 0x200;
const IS_SHARED = 0x100;

/** The distinct texts of a column, each as a String of the Native format. */
export interface Dictionary {
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** Writes the header of a block. Its columns follow, each with all rows. */
export function beginBlock(writer: NativeWriter, columns: number, rows: number): void {
  writer.varint(columns);
  writer.varint(rows);
}

/** Writes the header of a column. Its values follow. */
export function beginColumn(writer: NativeWriter, name: string, type: string): void {
  writer.text(name);
  writer.text(type);
}

/**
 * Writes the values of a LowCardinality(String) column.
 *
 * @param indexes of the rows' texts in the dictionary
 */
export function writeTexts(writer: NativeWriter, dictionary: Dictionary, indexes: Uint32Array): void {
  const indexBytes = indexBytesFor(dictionary.size);
  writer.uint64(LOW_CARDINALITY_VERSION);
  writer.uint64(OWN_KEYS | INDEX_TYPES[indexBytes]);
  writer.uint64(dictionary.size);
  writer.bytes(dictionary.bytes);
  writer.uint64(indexes.length);
  writer.unsigned(indexes, indexBytes);
}

/**
 * Returns the size of an index from LowCardinality's `flags`, in bytes. Returns undefined if the column does not carry
 * its own keys.
 */
export function indexBytesOf(flags: number): IndexBytes | undefined {
  if ((flags & HAS_KEYS) === 0 || (flags & IS_SHARED) !== 0) return undefined;
  const type = flags & 0xff;
  return type > 2 ? undefined : ((1 << type) as IndexBytes);
}

function indexBytesFor(size: number): IndexBytes {
  if (size <= 0x100) return 1;
  return size <= 0x10000 ? 2 : 4;
}
