import { NativeFormatError, type NativeReader, type TextPlaces, type TextValues } from './native-reader.js';

/** Texts of a column. `at` decodes the text of a row. */
export interface Texts {
  at(row: number): string;
}

/** A LowCardinality(String) column with decoded texts. */
class DictionaryTexts implements Texts {
  constructor(private readonly values: TextValues) {}

  at(row: number): string {
    const { texts, indexes } = this.values;
    return texts[indexes[row] ?? -1] ?? '';
  }
}

/** A String column. It remembers the last text, because several conditions can read it. */
class PlainTexts implements Texts {
  private row = -1;
  private text = '';

  constructor(private readonly places: TextPlaces) {}

  at(row: number): string {
    if (row === this.row) return this.text;
    const { bytes, starts, ends } = this.places;
    const start = starts[row] ?? 0;
    const end = ends[row] ?? 0;
    this.row = row;
    this.text = start === end ? '' : bytes.toString('utf8', start, end);
    return this.text;
  }
}

const TWO_TO_32 = 2 ** 32;

/** A column of numbers. `at` decodes the number of a row. */
export class Numbers {
  private bigEndian: Buffer | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly kind: NumberKind,
  ) {}

  /** Returns the number of a row. Integers up to 2^53 are exact. */
  at(row: number): number {
    const { bytes, kind } = this;
    if (kind === 'UInt64') return this.low(row) + this.high(row) * TWO_TO_32;
    if (kind === 'UInt16') return bytes.readUInt16LE(2 * row);
    if (kind === 'Float64') return bytes.readDoubleLE(8 * row);
    return kind === 'UInt32' ? bytes.readUInt32LE(4 * row) : bytes.readUInt8(row);
  }

  /** Returns the 16 hexadecimal digits of a UInt64. */
  hexAt(row: number): string {
    this.bigEndian ??= Buffer.from(this.bytes).swap64();
    return this.bigEndian.toString('hex', 8 * row, 8 * row + 8);
  }

  private low(row: number): number {
    return this.bytes.readUInt32LE(8 * row);
  }

  private high(row: number): number {
    return this.bytes.readUInt32LE(8 * row + 4);
  }
}

type NumberKind = 'UInt8' | 'UInt16' | 'UInt32' | 'UInt64' | 'Float64';

const NUMBER_BYTES: Readonly<Record<NumberKind, number>> = {
  UInt8: 1,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
  Float64: 8,
};

/** A block of the Native format: its columns by their names. */
export interface Block {
  readonly rows: number;
  texts(name: string): Texts | undefined;
  numbers(name: string): Numbers | undefined;
}

/**
 * Reads the next block. Supports String, LowCardinality(String), Float64 and unsigned integers.
 *
 * @throws NativeFormatError also for columns of other types
 */
export function readBlock(reader: NativeReader): Block {
  const count = reader.varint();
  const rows = reader.varint();
  const texts = new Map<string, Texts>();
  const numbers = new Map<string, Numbers>();
  for (let column = 0; column < count; column += 1) {
    const name = reader.text();
    const type = reader.text();
    if (type === 'String') texts.set(name, new PlainTexts(reader.places(rows)));
    else if (type === 'LowCardinality(String)') {
      // A column without rows has no dictionary.
      texts.set(name, new DictionaryTexts(rows === 0 ? NO_TEXTS : reader.texts(rows)));
    } else if (isNumberKind(type)) {
      numbers.set(name, new Numbers(reader.take(rows * NUMBER_BYTES[type]), type));
    } else throw new NativeFormatError(`the column ${name} has the type ${type}, which is not read here`);
  }
  return { rows, texts: (name) => texts.get(name), numbers: (name) => numbers.get(name) };
}

const NO_TEXTS: TextValues = { texts: [], indexes: new Uint8Array() };

function isNumberKind(type: string): type is NumberKind {
  return Object.hasOwn(NUMBER_BYTES, type);
}
