const SMALLEST_BYTES = 64 * 1024;
const MAX_UTF8_BYTES_A_UNIT = 3;
const TWO_TO_32 = 2 ** 32;
/** Up to this length, writing character by character is faster than a call into the runtime (about 60 ns). */
const SHORT_TEXT_LENGTH = 24;
/** Texts up to this length need at most two bytes for their size. */
const MAX_TEXT_LENGTH = 5_461;

/**
 * Appends bytes of ClickHouse's Native format to a growing buffer, which is reused after `clear`. Numbers are
 * little-endian, as on all machines that the product supports (https://clickhouse.com/docs/interfaces/formats/Native).
 */
export class NativeWriter {
  private memory = Buffer.allocUnsafeSlow(SMALLEST_BYTES);
  private end = 0;

  /** Bytes written since `clear`. */
  get length(): number {
    return this.end;
  }

  /** Returns the written bytes: a view that is valid until the next call of any method. */
  written(): Uint8Array {
    return this.memory.subarray(0, this.end);
  }

  clear(): void {
    this.end = 0;
  }

  /** Appends a non-negative integer below 2^53 as a varint: seven bits per byte. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.memory[this.end++] = (rest & 0x7f) | 0x80;
      rest = rest < TWO_TO_32 ? rest >>> 7 : Math.floor(rest / 0x80);
    }
    this.memory[this.end++] = rest;
  }

  /** Appends a non-negative integer below 2^53 as UInt64. */
  uint64(value: number): void {
    this.reserve(8);
    this.end = this.memory.writeUInt32LE(value % TWO_TO_32, this.end);
    this.end = this.memory.writeUInt32LE(Math.floor(value / TWO_TO_32), this.end);
  }

  /** Appends non-negative integers below 2^53, each as UInt64. */
  uint64s(integers: Float64Array): void {
    const halves = new Uint32Array(2 * integers.length);
    for (let row = 0; row < integers.length; row += 1) {
      const integer = integers[row] ?? 0;
      halves[2 * row] = integer;
      halves[2 * row + 1] = integer / TWO_TO_32;
    }
    this.numbers(halves);
  }

  /**
   * Appends a String: its size and its UTF-8 bytes. Lone surrogates become U+FFFD.
   *
   * @param text up to 5,461 UTF-16 units
   */
  text(text: string): void {
    const { length } = text;
    if (length > MAX_TEXT_LENGTH) throw new RangeError(`a text has at most ${MAX_TEXT_LENGTH} characters`);
    this.reserve(2 + MAX_UTF8_BYTES_A_UNIT * length);
    if (length <= SHORT_TEXT_LENGTH && this.shortAscii(text)) return;
    const at = this.end;
    const sizeBytes = length > 0x7f ? 2 : 1;
    const size = this.memory.write(text, at + sizeBytes);
    this.end = at;
    this.varint(size);
    // The reserved size was enough for the characters but not for their bytes. Write again after a longer size.
    if (this.end > at + sizeBytes) this.memory.write(text, this.end);
    this.end += size;
  }

  /** Appends a String whose UTF-8 form is in `source`. */
  encodedText(source: Buffer, start: number, end: number): void {
    const size = end - start;
    this.varint(size);
    this.reserve(size);
    const { memory } = this;
    if (size > SHORT_TEXT_LENGTH) source.copy(memory, this.end, start, end);
    else for (let from = start, to = this.end; from < end; from += 1, to += 1) memory[to] = source[from] ?? 0;
    this.end += size;
  }

  /** Appends bytes unchanged. */
  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.memory.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Appends numbers in their memory representation: a Float64Array becomes a Float64 column, and so on. */
  numbers({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.bytes(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** Appends unsigned integers in `bytesEach` bytes each. Each must fit. */
  unsigned(numbers: Uint32Array, bytesEach: 1 | 2 | 4): void {
    this.reserve(numbers.length * bytesEach);
    const { memory } = this;
    let at = this.end;
    for (let row = 0; row < numbers.length; row += 1) {
      let rest = numbers[row] ?? 0;
      for (let byte = 0; byte < bytesEach; byte += 1) {
        memory[at++] = rest;
        rest >>>= 8;
      }
    }
    this.end = at;
  }

  /** Writes a short ASCII text and returns true. For another text it writes nothing and returns false. */
  private shortAscii(text: string): boolean {
    const { memory } = this;
    let at = this.end + 1;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      memory[at++] = code;
    }
    memory[this.end] = text.length;
    this.end = at;
    return true;
  }

  private reserve(bytes: number): void {
    const needed = this.end + bytes;
    if (needed <= this.memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.memory.length));
    this.memory.copy(larger, 0, 0, this.end);
    this.memory = larger;
  }
}
