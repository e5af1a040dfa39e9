import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { beginBlock, beginColumn, writeTexts } from '../native/native-block.js';
import { NativeReader } from '../native/native-reader.js';
import { NativeWriter } from '../native/native-writer.js';
import { TextDictionary } from '../native/text-dictionary.js';
import { QUICKEST } from './hit-block-compression.js';
import { HIT_COLUMN_TYPES, HIT_COLUMNS, type HitColumn, type HitColumnType } from './hit-columns.js';
import type { HitRow } from './hit-row.js';

/** Hits as the block of a batch, compressed; nothing without any. Written value by value, as plainly as can be. */
export function hitBlock(rows: readonly HitRow[]): Uint8Array {
  return rows.length === 0 ? new Uint8Array() : compressed(plainHitBlock(rows));
}

/** Hits as the block of a batch, before it is compressed. Written value by value, as plainly as can be. */
export function plainHitBlock(rows: readonly HitRow[], columns = HIT_COLUMNS): Uint8Array {
  const writer = new NativeWriter();
  beginBlock(writer, columns.length, rows.length);
  for (const column of columns) {
    beginColumn(writer, column, HIT_COLUMN_TYPES[column]);
    writeColumn(
      writer,
      column,
      rows.map((row) => row[column]),
    );
  }
  return writer.written();
}

export function compressed(block: Uint8Array): Uint8Array {
  return brotliCompressSync(block, QUICKEST);
}

/** The hits in the block of a batch. */
export function hitRowsIn(block: Uint8Array): HitRow[] {
  if (block.length === 0) return [];
  const reader = new NativeReader(brotliDecompressSync(block));
  const columns = reader.varint();
  const count = reader.varint();
  const rows = Array.from({ length: count }, (): Record<string, unknown> => ({}));
  for (const column of HIT_COLUMNS.slice(0, columns)) {
    reader.expectColumn(column, HIT_COLUMN_TYPES[column]);
    const values = readColumn(reader, column, count);
    for (const [index, row] of rows.entries()) row[column] = values[index];
  }
  if (!reader.isAtEnd) throw new Error('something follows the block');
  return rows as unknown as HitRow[];
}

type Value = HitRow[HitColumn];
type NumberType = Exclude<HitColumnType, 'String' | 'LowCardinality(String)'>;

interface NumberForm {
  readonly bytes: number;
  write(to: Buffer, value: Value): void;
  read(from: Buffer): Value;
}

const UINT64: NumberForm = {
  bytes: 8,
  write: (to, value) => to.writeBigUInt64LE(BigInt(value)),
  read: (from) => Number(from.readBigUInt64LE()),
};

const NUMBER_FORMS: Readonly<Record<NumberType, NumberForm>> = {
  UInt64: UINT64,
  "DateTime64(3, 'UTC')": UINT64,
  UInt8: {
    bytes: 1,
    write: (to, value) => to.writeUInt8(Number(value)),
    read: (from) => from.readUInt8(),
  },
  UInt16: {
    bytes: 2,
    write: (to, value) => to.writeUInt16LE(Number(value)),
    read: (from) => from.readUInt16LE(),
  },
  Float32: {
    bytes: 4,
    write: (to, value) => to.writeFloatLE(Number(value)),
    read: (from) => from.readFloatLE(),
  },
  Float64: {
    bytes: 8,
    write: (to, value) => to.writeDoubleLE(Number(value)),
    read: (from) => from.readDoubleLE(),
  },
};

function writeColumn(writer: NativeWriter, column: HitColumn, values: readonly Value[]): void {
  const type = HIT_COLUMN_TYPES[column];
  if (type === 'LowCardinality(String)') {
    const dictionary = new TextDictionary();
    const indexes = Uint32Array.from(values, (value) => dictionary.indexOf(String(value)));
    writeTexts(writer, dictionary, indexes);
    return;
  }
  if (type === 'String') {
    for (const value of values) writer.text(String(value));
    return;
  }
  const { bytes, write } = NUMBER_FORMS[type];
  for (const value of values) {
    const number = Buffer.alloc(bytes);
    write(number, value);
    writer.bytes(number);
  }
}

function readColumn(reader: NativeReader, column: HitColumn, rows: number): readonly Value[] {
  const type = HIT_COLUMN_TYPES[column];
  if (type === 'LowCardinality(String)') {
    const { texts, indexes } = reader.texts(rows);
    return Array.from(indexes, (index) => texts[index] ?? '');
  }
  if (type === 'String') return Array.from({ length: rows }, () => reader.text());
  const { bytes, read } = NUMBER_FORMS[type];
  return Array.from({ length: rows }, () => {
    const number = reader.take(bytes);
    return column === 'visitor' ? number.readBigUInt64LE() : read(number);
  });
}
