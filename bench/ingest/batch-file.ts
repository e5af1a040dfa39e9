import { open, readFile } from 'node:fs/promises';
import type { HitSink } from '../../shared/hits/hit-batch.js';

const LENGTH_BYTES = 4;

/** A sink that keeps batches in a file, one after another. */
export async function openBatchFile(file: string): Promise<HitSink & { close(): Promise<void> }> {
  const handle = await open(file, 'w');
  return {
    async deliver(encoded) {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(encoded.length);
      await handle.appendFile(Buffer.concat([length, encoded]));
    },
    close: () => handle.close(),
  };
}

/** Reads the batches of such a file, as they were delivered. */
export async function readBatchFile(file: string): Promise<Uint8Array[]> {
  const bytes = await readFile(file);
  const batches: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + LENGTH_BYTES + bytes.readUInt32LE(start);
    batches.push(bytes.subarray(start + LENGTH_BYTES, end));
    start = end;
  }
  return batches;
}
