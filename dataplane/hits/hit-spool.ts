import { type FileHandle, open, unlink } from 'node:fs/promises';
import { createSerialQueue } from '../../shared/async/serial-queue.js';
import { ignoring } from '../../shared/process/error-facts.js';
import { segmentPath } from './spool-files.js';
import { RECORD_HEADER_BYTES, readSpoolRecord, spoolRecordHeader } from './spool-record.js';

/** Position of a batch on disk. */
export interface SpoolPosition {
  readonly segment: SpoolSegment;
  readonly offset: number;
}

interface SpoolSegment {
  readonly path: string;
  sizeBytes: number;
  /** Records that were not released. */
  unreleased: number;
}

/**
 * Keeps the batches of one producer on disk until the sink has them. A written batch survives any end of the process.
 * Batches are not flushed to the medium, so a power cut may take the last seconds.
 */
export interface HitSpool {
  /** Bytes of all segments. */
  readonly sizeBytes: number;
  /** Writes one batch after the other. Rejects on a disk error; the batch is not kept then. */
  append(encoded: Uint8Array): Promise<SpoolPosition>;
  /** Reads a batch; undefined when it is gone or damaged. Rejects on disk errors. */
  read(position: SpoolPosition): Promise<Uint8Array | undefined>;
  /** Releases one batch. Deletes a segment without batches. */
  release(position: SpoolPosition): Promise<void>;
  /** Waits for running operations. Segments with batches stay. */
  close(): Promise<void>;
}

export interface HitSpoolOptions {
  readonly directory: string;
  readonly producerId: string;
  /** Size at which a segment is full. */
  readonly segmentBytes: number;
  /** Called before a segment is created. A rejection prevents it. */
  readonly prepare?: () => Promise<void>;
}

export function createHitSpool(options: HitSpoolOptions): HitSpool {
  const { directory, producerId, segmentBytes } = options;
  let active: { readonly segment: SpoolSegment; readonly file: FileHandle } | undefined;
  let lastNumber = 0;
  let sizeBytes = 0;
  /** A release must not delete the segment that an append is about to write to. */
  const steps = createSerialQueue();

  const openSegment = async () => {
    await options.prepare?.();
    lastNumber += 1;
    const filePath = segmentPath(directory, { producerId, number: lastNumber });
    const file = await open(filePath, 'ax', 0o600);
    active = { segment: { path: filePath, sizeBytes: 0, unreleased: 0 }, file };
    return active;
  };

  /** Ends writing to the active segment. Deletes it if it is empty. */
  const seal = async () => {
    if (active === undefined) return;
    const { segment, file } = active;
    active = undefined;
    await file.close();
    if (segment.unreleased === 0) await remove(segment);
  };

  const remove = async (segment: SpoolSegment) => {
    await unlink(segment.path).catch(ignoring('ENOENT'));
    sizeBytes -= segment.sizeBytes;
  };

  const write = async (encoded: Uint8Array): Promise<SpoolPosition> => {
    const { segment, file } = active ?? (await openSegment());
    const offset = segment.sizeBytes;
    const size = spooledBytes(encoded);
    try {
      const { bytesWritten } = await file.writev([spoolRecordHeader(encoded), encoded]);
      if (bytesWritten < size) throw new Error('the disk took only a part of a batch');
    } catch (error) {
      // A part of the record may be written: cut it off if possible, and write nothing after it in any case.
      await file.truncate(offset).catch(() => undefined);
      await seal();
      throw error;
    }
    segment.sizeBytes += size;
    segment.unreleased += 1;
    sizeBytes += size;
    if (segment.sizeBytes >= segmentBytes) await seal();
    return { segment, offset };
  };

  return {
    get sizeBytes() {
      return sizeBytes;
    },
    append: (encoded) => steps.run(() => write(encoded)),
    read: (position) => readBack(position),
    release: ({ segment }) =>
      steps.run(async () => {
        segment.unreleased -= 1;
        if (segment.unreleased > 0) return;
        if (segment === active?.segment) await seal();
        else await remove(segment);
      }),
    close: () => steps.run(seal),
  };
}

async function readBack({ segment, offset }: SpoolPosition): Promise<Uint8Array | undefined> {
  const file = await open(segment.path, 'r').catch(ignoring('ENOENT'));
  if (file === undefined) return undefined;
  try {
    const record = await readSpoolRecord(file, offset);
    return record.kind === 'record' ? record.payload : undefined;
  } finally {
    await file.close();
  }
}

/** Size of an encoded batch in the spool. */
export function spooledBytes(encoded: Uint8Array): number {
  return RECORD_HEADER_BYTES + encoded.length;
}
