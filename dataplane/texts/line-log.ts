const BLOCK_BITS = 18;
const BLOCK_BYTES = 2 ** BLOCK_BITS;
/** Maximum number of blocks that 32-bit addresses can reach. */
const MOST_BLOCKS = 2 ** (32 - BLOCK_BITS);
const NEWLINE = 0x0a;

/**
 * Lines in order of arrival. They are added at the end, removed at the front and never changed, so the state of one
 * moment can be written later without a copy.
 */
export interface LineLog {
  /** Size of all lines in the log, in bytes. */
  readonly usedBytes: number;
  /**
   * @param line with its newline, and without lone surrogates
   * @returns its address: 32 bits, unique while the line exists
   * @throws {RangeError} when all addresses are used, at 4 GiB
   */
  append(line: string): number;
  /** Returns the line at an address, with its newline. */
  lineAt(address: number): string;
  /** Returns its length. */
  lineBytesAt(address: number): number;
  /** Returns the bytes that contain the line at an address; see `offsetOf`. */
  bytesAround(address: number): Buffer;
  /** Returns the address of the first line; undefined while it is among the last that were added. */
  first(): number | undefined;
  /** Removes the first line, whose address `first` returned. */
  dropFirst(): void;
  /** Returns all current lines in pieces of whole lines. Later changes do not affect them. */
  capture(): readonly Buffer[];
}

/** Returns the position of the line at `address` within `LineLog.bytesAround`. */
export function offsetOf(address: number): number {
  return address & (BLOCK_BYTES - 1);
}

/** A line is within one block. A line that is longer than a block has its own. */
interface Block {
  readonly bytes: Buffer;
  usedBytes: number;
}

export function createLineLog(): LineLog {
  /** Blocks by number modulo `MOST_BLOCKS`. */
  const blocks: (Block | undefined)[] = [];
  let firstNumber = 0;
  let nextNumber = 0;
  /** Position of the first line in the first block. */
  let firstOffset = 0;
  let last: Block = { bytes: Buffer.alloc(0), usedBytes: 0 };
  let usedBytes = 0;

  function addBlock(sizeBytes: number): void {
    if (nextNumber - firstNumber === MOST_BLOCKS)
      throw new RangeError('no more than 4 GiB of lines can be kept');
    last = { bytes: Buffer.allocUnsafeSlow(sizeBytes), usedBytes: 0 };
    blocks[nextNumber % MOST_BLOCKS] = last;
    nextNumber += 1;
  }

  function blockAt(number: number): Block {
    const block = blocks[number % MOST_BLOCKS];
    if (block === undefined) throw new RangeError('there is no line at this address');
    return block;
  }

  function bytesAround(address: number): Buffer {
    return blockAt(address >>> BLOCK_BITS).bytes;
  }

  function lineBytesAt(address: number): number {
    const start = offsetOf(address);
    return bytesAround(address).indexOf(NEWLINE, start) + 1 - start;
  }

  function first(): number | undefined {
    // The last block is still being written.
    if (nextNumber - firstNumber < 2) return undefined;
    return (firstNumber % MOST_BLOCKS) * BLOCK_BYTES + firstOffset;
  }

  return {
    get usedBytes() {
      return usedBytes;
    },
    append(line) {
      const lineBytes = Buffer.byteLength(line);
      if (last.usedBytes + lineBytes > last.bytes.length) addBlock(Math.max(BLOCK_BYTES, lineBytes));
      const offset = last.usedBytes;
      last.bytes.write(line, offset);
      last.usedBytes += lineBytes;
      usedBytes += lineBytes;
      return ((nextNumber - 1) % MOST_BLOCKS) * BLOCK_BYTES + offset;
    },
    lineAt(address) {
      const start = offsetOf(address);
      return bytesAround(address).toString('utf8', start, start + lineBytesAt(address));
    },
    lineBytesAt,
    bytesAround,
    first,
    dropFirst() {
      const address = first();
      if (address === undefined) return;
      const lineBytes = lineBytesAt(address);
      usedBytes -= lineBytes;
      firstOffset += lineBytes;
      if (firstOffset < blockAt(firstNumber).usedBytes) return;
      blocks[firstNumber % MOST_BLOCKS] = undefined;
      firstNumber += 1;
      firstOffset = 0;
    },
    capture() {
      const pieces: Buffer[] = [];
      for (let number = firstNumber; number < nextNumber; number += 1) {
        const { bytes, usedBytes: end } = blockAt(number);
        pieces.push(bytes.subarray(number === firstNumber ? firstOffset : 0, end));
      }
      return pieces;
    },
  };
}
