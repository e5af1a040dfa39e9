import { mkdir } from 'node:fs/promises';
import { type LockFile, takeLockFile } from '../../shared/process/lock-file.js';
import { lockPath } from './spool-files.js';

/** A producer's place in the folder of the spool: as long as it has it, others leave alone what is there in its name. */
export interface SpoolPlace {
  /**
   * Makes the folder if need be and takes the place. Once that has succeeded it does nothing; until then it may be
   * called again. Rejects on errors of the disk.
   */
  take(): Promise<void>;
  release(): Promise<void>;
}

export interface SpoolPlaceDeps {
  readonly directory: string;
  readonly producerId: string;
  /** Called, and waited for, when the place has been taken. */
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
