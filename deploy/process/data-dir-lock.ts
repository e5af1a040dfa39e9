import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../shared/config/environment.js';
import { ignoring } from '../../shared/process/error-facts.js';
import {
  LOCK_STALE_AFTER_MS,
  type LockFile,
  type LockState,
  lockState,
  removeFreeLock,
  takeLockFile,
} from '../../shared/process/lock-file.js';
import { makeFolder } from '../../shared/process/make-folder.js';
import { writeErrorText } from '../../shared/process/write-problem.js';

const POLL_INTERVAL_MS = 500;
/** Two processes that start at the same moment may each find the other's lock; after this time one of them holds it. */
const MAX_ATTEMPTS = 3;

/** DATA_DIR is not writable: its disk is full or read-only, or it belongs to another user. */
export class DataDirUnwritable extends ConfigError {
  override name = 'DataDirUnwritable';
}

export interface LockWaiting {
  /** Reports the reason of the wait. */
  readonly say: (line: string) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Makes this process the only user of `dataDir`, because a second one would damage its embedded databases. A lock left
 * by `kill -9` does not block. The function waits on a lock of another container until it is certainly unused.
 *
 * @throws {ConfigError} when another live process holds the lock
 * @throws {DataDirUnwritable} when nothing can be written there
 * @throws {AbortError} when the signal ends the wait
 */
export async function lockDataDir(dataDir: string, waiting: LockWaiting): Promise<LockFile> {
  try {
    await makeFolder(dataDir);
    return await lock(dataDir, waiting);
  } catch (error) {
    if (error instanceof ConfigError || waiting.signal.aborted) throw error;
    // On a full disk, an attempt to create a lock does not reveal the lock of another process.
    const holder = await dataDirLockState(dataDir);
    if (holder.state === 'held') throw inUse(dataDir, `process ${holder.pid}`);
    throw new DataDirUnwritable(`DATA_DIR ${dataDir} cannot be written to: ${writeErrorText(error)}`);
  }
}

async function lock(dataDir: string, waiting: LockWaiting): Promise<LockFile> {
  const file = lockPath(dataDir);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const taken = await takeIfAbsent(file);
    if (taken !== undefined) return taken;
    await waitUntilFree(file, dataDir, waiting);
    await removeFreeLock(file);
  }
  const taken = await takeIfAbsent(file);
  if (taken !== undefined) return taken;
  throw new ConfigError(`DATA_DIR ${dataDir} could not be locked: another process is starting in it`);
}

/** Returns the holder of the lock of `dataDir`. */
export function dataDirLockState(dataDir: string): Promise<LockState> {
  return lockState(lockPath(dataDir));
}

function lockPath(dataDir: string): string {
  return path.join(dataDir, 'waymark.lock');
}

function inUse(dataDir: string, who: string): ConfigError {
  return new ConfigError(
    `DATA_DIR ${dataDir} is in use by ${who}; stop it, or give this one another DATA_DIR`,
  );
}

function takeIfAbsent(file: string): Promise<LockFile | undefined> {
  return takeLockFile(file).catch(ignoring('EEXIST'));
}

async function waitUntilFree(file: string, dataDir: string, { say, signal }: LockWaiting): Promise<void> {
  const giveUpAtMs = Date.now() + LOCK_STALE_AFTER_MS + 2 * POLL_INTERVAL_MS;
  for (let waits = 0; ; waits += 1) {
    const holder = await lockState(file);
    if (holder.state === 'free') return;
    if (holder.state === 'held' || Date.now() > giveUpAtMs) {
      const who = holder.state === 'held' ? `process ${holder.pid}` : 'a process of another container';
      throw inUse(dataDir, who);
    }
    if (waits === 0) say(`Waiting to see whether another container still uses DATA_DIR ${dataDir} …`);
    await sleep(POLL_INTERVAL_MS, undefined, { signal });
  }
}
