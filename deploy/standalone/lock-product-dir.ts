import { messageOf } from '../../shared/process/error-facts.js';
import type { LockFile } from '../../shared/process/lock-file.js';
import { finishReplacing } from '../backup/replace-data.js';
import { DataDirUnwritable, type LockWaiting, lockDataDir } from '../process/data-dir-lock.js';

/**
 * Locks DATA_DIR, and completes a restore that was interrupted while it replaced the data.
 *
 * @throws as `lockDataDir` does
 */
export async function lockProductDir(dataDir: string, waiting: LockWaiting): Promise<LockFile> {
  const lock = await lockDataDir(dataDir, waiting);
  try {
    if (await finishReplacing(dataDir)) waiting.say('A restore that was interrupted is complete now.');
    return lock;
  } catch (error) {
    await lock.release();
    throw new DataDirUnwritable(
      `A restore in DATA_DIR ${dataDir} was interrupted and cannot go on: ${messageOf(error)}`,
    );
  }
}
