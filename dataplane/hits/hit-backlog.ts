import { EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';
import { type HitSpool, type SpoolPosition, spooledBytes } from './hit-spool.js';

/** A batch that waits for the sink. */
export interface WaitingBatch {
  readonly sequence: number;
  readonly hitCount: number;
  /** The encoded batch; undefined when only the spool has it. */
  readonly encoded: Uint8Array | undefined;
  /** Undefined if the batch is only in memory. */
  readonly position: SpoolPosition | undefined;
}

/** The batches of this process in sequence, from their creation to the sink's acknowledgement. */
export interface HitBacklog {
  readonly isEmpty: boolean;
  readonly hitCount: number;
  /** Batches that could not be written to disk. */
  readonly spoolErrors: number;
  /** Resolves when there is room for one batch of any size; to false when `signal` is aborted first. */
  untilRoom(signal: AbortSignal): Promise<boolean>;
  /** Adds the next batch to the spool. Also keeps it in memory if memory is free or the disk fails. */
  append(batch: { sequence: number; hitCount: number; encoded: Uint8Array }): Promise<void>;
  /** Returns the oldest batch as soon as there is one; undefined when `signal` is aborted first. */
  oldest(signal: AbortSignal): Promise<WaitingBatch | undefined>;
  /** Returns the bytes of a batch; undefined when the spool has lost them. Rejects on disk errors. */
  bytesOf(batch: WaitingBatch): Promise<Uint8Array | undefined>;
  /** Removes the oldest batch, delivered or dropped. */
  removeOldest(): Promise<void>;
  /** Resolves when no batch waits, or when `signal` is aborted. */
  untilEmpty(signal: AbortSignal): Promise<void>;
  /** Drops the batches that are not on disk, because the process ends. Returns the number of their hits. */
  abandonUnspooled(): number;
}

export interface HitBacklogDeps {
  readonly spool: HitSpool;
  readonly logger: Logger;
  /** Bytes on disk of other processes; they count against `maxSpoolBytes`. */
  leftoverBytes(): number;
  /**
   * Called when a batch will outlive this process: it is on disk, or delivered from memory. The caller waits for the
   * result.
   */
  readonly onKept?: (batch: WaitingBatch) => Promise<void>;
  /** Maximum size of an encoded batch. */
  readonly maxBatchBytes: number;
  readonly maxSpoolBytes: number;
  /** Limit for each of the two: copies in memory of batches on disk, and batches that the disk refused. */
  readonly maxMemoryBytes: number;
  /** Interval between attempts on a failed disk when no other room is left. */
  readonly diskRetryIntervalMs?: number;
}

const DISK_RETRY_INTERVAL_MS = 1_000;

export function createHitBacklog(deps: HitBacklogDeps): HitBacklog {
  const { spool, logger, maxBatchBytes, maxSpoolBytes, maxMemoryBytes } = deps;
  const { diskRetryIntervalMs = DISK_RETRY_INTERVAL_MS } = deps;
  const batches = new Map<number, WaitingBatch>();
  const changes = new EventEmitter();
  let oldestSequence = 1;
  let hitCount = 0;
  let copiedBytes = 0;
  let unspooledBytes = 0;
  let spoolErrors = 0;
  let isDiskFailing = false;

  const spoolHasRoom = (bytes: number) => spool.sizeBytes + deps.leftoverBytes() + bytes <= maxSpoolBytes;

  const hasRoom = () =>
    unspooledBytes + maxBatchBytes <= maxMemoryBytes || (!isDiskFailing && spoolHasRoom(maxBatchBytes));

  const hasRoomForCopy = ({ length }: Uint8Array) => copiedBytes + length <= maxMemoryBytes;

  /** Undefined if the disk refused it. */
  const write = async (encoded: Uint8Array): Promise<SpoolPosition | undefined> => {
    try {
      const position = await spool.append(encoded);
      isDiskFailing = false;
      return position;
    } catch (error) {
      if (!isDiskFailing)
        logger.error({ err: error }, 'hits cannot be written to disk, keeping them in memory');
      isDiskFailing = true;
      return undefined;
    }
  };

  const toSpool = async (encoded: Uint8Array): Promise<SpoolPosition | undefined> => {
    if (!spoolHasRoom(spooledBytes(encoded))) return undefined;
    const position = await write(encoded);
    if (position === undefined) spoolErrors += 1;
    return position;
  };

  const release = (position: SpoolPosition) =>
    spool.release(position).catch((error: unknown) => {
      logger.warn({ err: error }, 'a delivered part of the spool could not be deleted');
    });

  /** Writes the newest batch again, because batches must reach the disk in sequence. */
  const tryDiskAgain = async (): Promise<void> => {
    const batch = batches.get(oldestSequence + batches.size - 1);
    if (batch?.encoded === undefined || batch.position !== undefined) return;
    if (!spoolHasRoom(spooledBytes(batch.encoded))) return;
    const position = await write(batch.encoded);
    if (position === undefined) return;
    if (!batches.has(batch.sequence)) return release(position);
    const isCopied = hasRoomForCopy(batch.encoded);
    batches.set(batch.sequence, { ...batch, position, encoded: isCopied ? batch.encoded : undefined });
    unspooledBytes -= batch.encoded.length;
    if (isCopied) copiedBytes += batch.encoded.length;
    await deps.onKept?.(batch);
  };

  const announce = () => void changes.emit('change');

  /**
   * Resolves at the next change, or when `signal` is aborted. A caller that checks its condition and then waits in the
   * same turn misses no change.
   */
  const nextChange = async (signal: AbortSignal): Promise<void> => {
    await once(changes, 'change', { signal }).catch(() => undefined);
  };

  /** Also resolves when a failed disk should be tried again. */
  const nextChangeOrRetry = async (signal: AbortSignal): Promise<void> => {
    const timer = isDiskFailing ? setTimeout(announce, diskRetryIntervalMs).unref() : undefined;
    await nextChange(signal);
    clearTimeout(timer);
  };

  // Sequences have no gaps. (The order of a Map would do, but a look-up of its first entry passes all deleted ones.)
  const first = () => batches.get(oldestSequence);

  return {
    get isEmpty() {
      return batches.size === 0;
    },
    get hitCount() {
      return hitCount;
    },
    get spoolErrors() {
      return spoolErrors;
    },

    async untilRoom(signal) {
      while (!hasRoom() && !signal.aborted) {
        await nextChangeOrRetry(signal);
        if (isDiskFailing && !hasRoom() && !signal.aborted) await tryDiskAgain();
      }
      return hasRoom();
    },

    async append({ sequence, hitCount: hits, encoded }) {
      const position = await toSpool(encoded);
      const isCopied = position !== undefined && hasRoomForCopy(encoded);
      if (position === undefined) unspooledBytes += encoded.length;
      else if (isCopied) copiedBytes += encoded.length;
      const isInMemory = position === undefined || isCopied;
      const batch = { sequence, hitCount: hits, position, encoded: isInMemory ? encoded : undefined };
      // First note the batch as kept, then deliver it.
      if (position !== undefined) await deps.onKept?.(batch);
      batches.set(sequence, batch);
      hitCount += hits;
      announce();
    },

    async oldest(signal) {
      while (batches.size === 0 && !signal.aborted) await nextChange(signal);
      return signal.aborted ? undefined : first();
    },

    async bytesOf({ encoded, position }) {
      if (encoded !== undefined || position === undefined) return encoded;
      return await spool.read(position);
    },

    async removeOldest() {
      const batch = first();
      if (batch === undefined) return;
      const { sequence, encoded, position } = batch;
      batches.delete(sequence);
      oldestSequence = sequence + 1;
      hitCount -= batch.hitCount;
      if (position === undefined) {
        unspooledBytes -= encoded?.length ?? 0;
        await deps.onKept?.(batch);
      } else {
        copiedBytes -= encoded?.length ?? 0;
        await release(position);
      }
      announce();
    },

    async untilEmpty(signal) {
      while (batches.size > 0 && !signal.aborted) await nextChange(signal);
    },

    abandonUnspooled() {
      let abandoned = 0;
      for (const batch of batches.values()) {
        if (batch.position !== undefined) continue;
        batches.delete(batch.sequence);
        abandoned += batch.hitCount;
      }
      hitCount -= abandoned;
      return abandoned;
    },
  };
}
