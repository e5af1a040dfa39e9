import { mkdir } from 'node:fs/promises';
import { type LockFile, takeLockFile } from '../../shared/process/lock-file.js';
import { lockPath } from './spool-files.js';

/** A producer's lock in the folder of the spool. While it is held, other processes leave the producer's files alone. */
export interface SpoolPlace {
  /**
   * Creates the folder if necessary, and takes the lock. After a success further calls do nothing; after a failure it
   * can be called again. Rejects on disk errors.
   */
  take(): Promise<void>;
  release(): Promise<void>;
}

export interface SpoolPlaceDeps {
  readonly directory: string;
  readonly producerId: string;
  /** Called when the lock was taken. The caller waits for the result. */
  readonly onTaken: () => Promise<void>;
}

export function createSpoolPlace({ directory, producerId, onTaken }: SpoolPlaceDeps): SpoolPlace {
  let lock: LockFile | undefined;
  let taking: Promise<void> | undefined;

  const tryOnce = async () => {
    await mkdir(directory, { recursive: true });
    lock = await takeLockFile(lockPath(directory, producerId));
    await onTaken();
  };

  return {
    take() {
      taking ??= tryOnce().catch((error: unknown) => {
        taking = undefined;
        throw error;
      });
      return taking;
    },
    async release() {
      await lock?.release();
    },
  };
}
