import { type IndexBytes, indexBytesOf, LOW_CARDINALITY_VERSION } from './native-block.js';

/** Error for bytes that do not have the expected format. Retrying does not help. */
export class NativeFormatError extends Error {}

/** A LowCardinality(String) column: its distinct texts, and the index of each row's text. */
export interface TextValues {
  readonly texts: readonly string[];
  readonly indexes: Uint8Array | Uint16Array | Uint32Array;
}

/** Texts of a String column: each is in `bytes`, from its start to its end. */
export interface TextPlaces {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const TWO_TO_32 = 2 ** 32;
const TWO_TO_53 = 2 ** 53;

/** Reads the output of `NativeWriter` and of ClickHouse. Every method can throw NativeFormatError. */
export class NativeReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** A non-negative integer below 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor < TWO_TO_53; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte <= 0x7f && value < TWO_TO_53) return value;
    }
    throw new NativeFormatError('a number has more digits than any that is written');
  }

  /** A UInt64 below 2^53. */
  uint64(): number {
    return this.uint64s(1)[0] ?? 0;
  }

  /** Reads `count` unsigned 64-bit integers as doubles. */
  uint64s(count: number): Float64Array {
    const bytes = this.take(8 * count);
    const values = new Float64Array(count);
    for (let index = 0; index < count; index += 1) {
      const value = bytes.readUInt32LE(8 * index) + bytes.readUInt32LE(8 * index + 4) * TWO_TO_32;
      if (!Number.isSafeInteger(value))
        throw new NativeFormatError(`${value} is more than any count or time`);
      values[index] = value;
    }
    return values;
  }

  text(): string {
    return this.take(this.varint()).toString('utf8');
  }

  /** Finds the texts of a String column of a block with `rows` rows, without decoding them. */
  places(rows: number): TextPlaces {
    if (rows > this.bytes.length - this.at) throw new NativeFormatError('the block ends within a column');
    const starts = new Uint32Array(rows);
    const ends = new Uint32Array(rows);
    for (let row = 0; row < rows; row += 1) {
      const length = this.varint();
      starts[row] = this.at;
      this.at += length;
      ends[row] = this.at;
    }
    if (this.at > this.bytes.length) throw new NativeFormatError('the block ends within a value');
    return { bytes: this.bytes, starts, ends };
  }

  /** Returns a view of the next `length` bytes. */
  take(length: number): Buffer {
    const from = this.at;
    if (length > this.bytes.length - from) throw new NativeFormatError('the block ends within a value');
    this.at += length;
    return this.bytes.subarray(from, this.at);
  }

  /** @throws also for a column of another name or type */
  expectColumn(name: string, type: string): void {
    const found = `${this.text()} ${this.text()}`;
    if (found !== `${name} ${type}`)
      throw new NativeFormatError(`${found} stands where ${name} ${type} ought to`);
  }

  /** Reads the values of a LowCardinality(String) column. `rows` is the number of rows of the block, at least 1. */
  texts(rows: number): TextValues {
    const version = this.uint64();
    const indexBytes = indexBytesOf(this.uint64());
    if (version !== LOW_CARDINALITY_VERSION || indexBytes === undefined) {
      throw new NativeFormatError('a dictionary is not written as those of hits are');
    }
    const size = this.uint64();
    const texts: string[] = [];
    while (texts.length < size) texts.push(this.text());
    if (this.uint64() !== rows)
      throw new NativeFormatError('a column has another number of rows than its block');
    const indexes = indexesIn(this.take(rows * indexBytes), indexBytes);
    if (indexes.some((index) => index >= size))
      throw new NativeFormatError('a row has a text that is not there');
    return { texts, indexes };
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new NativeFormatError('the block ends within a value');
    this.at += 1;
    return byte;
  }
}

/** Copies the indexes, because a typed array must begin at a multiple of its element size. */
function indexesIn(bytes: Buffer, indexBytes: IndexBytes): TextValues['indexes'] {
  const { buffer } = Uint8Array.from(bytes);
  if (indexBytes === 1) return new Uint8Array(buffer);
  return indexBytes === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
}
