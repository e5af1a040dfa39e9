import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type LockFile, takeLockFile } from '../../shared/process/lock-file.js';
import { type HitTotals, openHitTotalsFile, writeHitTotals } from './hit-totals-file.js';
import { lockPath, totalsPath } from './spool-files.js';

/**
 * Keeps a producer's lock and totals on disk beside its spool. While the lock is held, other processes leave the
 * producer's files alone. When the producer is killed, its successor reads in the totals how many hits were lost. The
 * page cache outlives a process, so there is no `fsync`.
 */
export interface HitAccount {
  /**
   * Creates the folder if necessary, takes the lock and starts writing the totals. After a success further calls do
   * nothing; after a failure it can be called again. Rejects on disk errors. Without a file for the totals it logs an
   * error, and no totals are available.
   */
  open(): Promise<void>;
  /** Notes that a batch outlives the process. Resolves when that is written; never rejects. */
  keep(batch: { readonly sequence: number; readonly hitCount: number }): Promise<void>;
  /**
   * Ends writing and releases the lock. The file of totals stays only if hits were lost and the store cannot know it.
   */
  close(lostHits: number): Promise<void>;
}

export interface HitAccountDeps {
  /** Folder of the spool. */
  readonly directory: string;
  readonly producerId: string;
  readonly logger: Logger;
  /** Current totals. */
  readonly counted: () => Pick<HitTotals, 'recorded' | 'dropped'>;
}

/**
 * Maximum age of the totals on disk. The totals of a killed process can be this old. One write takes about 20 µs of
 * processor time. Writes are asynchronous and not per hit, so a hanging disk never delays visitors.
 */
const WRITE_INTERVAL_MS = 20;

export function createHitAccount({ directory, producerId, logger, counted }: HitAccountDeps): HitAccount {
  const filePath = totalsPath(directory, producerId);
  let opening: Promise<void> | undefined;
  let lock: LockFile | undefined;
  let file: FileHandle | undefined;
  let timer: NodeJS.Timeout | undefined;
  let kept = 0;
  let sequence = 0;
  let written: HitTotals | undefined;
  let lastWrite: Promise<void> = Promise.resolve();
  let isWriting = false;

  const totals = (): HitTotals => ({ ...counted(), kept, sequence });

  const giveUp = (error: unknown) => {
    if (file === undefined) return;
    logger.error({ err: error, filePath }, 'what is lost with this process would not be counted');
    clearInterval(timer);
    const failed = file;
    file = undefined;
    void failed.close().catch(() => undefined);
  };

  const write = async (next: HitTotals): Promise<void> => {
    isWriting = true;
    try {
      if (file !== undefined) await writeHitTotals(file, next);
      written = next;
    } catch (error) {
      giveUp(error);
    } finally {
      isWriting = false;
    }
  };

  const writeInTurn = (next: () => HitTotals): Promise<void> => {
    lastWrite = lastWrite.then(() => write(next()));
    return lastWrite;
  };

  const writeChanges = () => {
    if (isWriting) return;
    const { recorded, dropped } = counted();
    if (recorded !== written?.recorded || dropped !== written.dropped) void writeInTurn(totals);
  };

  const openOnce = async () => {
    await mkdir(directory, { recursive: true });
    lock = await takeLockFile(lockPath(directory, producerId));
    try {
      file = await openHitTotalsFile(filePath);
      timer = setInterval(writeChanges, WRITE_INTERVAL_MS).unref();
    } catch (error) {
      logger.error({ err: error, filePath }, 'what is lost with this process would not be counted');
    }
  };

  return {
    open() {
      opening ??= openOnce().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async keep(batch) {
      kept += batch.hitCount;
      sequence = Math.max(sequence, batch.sequence);
      await writeInTurn(totals);
    },
    async close(lostHits) {
      clearInterval(timer);
      const last = { ...totals(), dropped: counted().dropped + lostHits };
      await writeInTurn(() => last);
      await file?.close().catch(() => undefined);
      if (lostHits === 0) await rm(filePath, { force: true }).catch(() => undefined);
      await lock?.release();
    },
  };
}
