import { writeSync } from 'node:fs';
import { codeOf } from '../../shared/process/error-facts.js';

/** Wait for a slow reader. */
const BUSY_WAIT_MS = 20;
const MAX_BUSY_WAITS = 50;
const NEW_LINE = 10;

/**
 * Writes lines to a file descriptor synchronously. Drops a line that cannot be written, because the disk is full, the reader is gone, or the reader has not read for a
 * second. Keeps nothing in memory. (Pino's own destination keeps such lines for ever, and never returns from writing
 * a line of the level `fatal`.)
 */
export function createLineOutput(fd: number) {
  let isCut = false;
  return {
    write(line: string): void {
      const bytes = Buffer.from(isCut ? `\n${line}` : line);
      const written = writeAll(fd, bytes);
      if (written > 0) isCut = bytes[written - 1] !== NEW_LINE;
    },
  };
}

/** @returns the number of written bytes */
function writeAll(fd: number, bytes: Buffer): number {
  let written = 0;
  for (let waits = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' || waits === MAX_BUSY_WAITS) return written;
      waits += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_WAIT_MS);
    }
  }
  return written;
}
