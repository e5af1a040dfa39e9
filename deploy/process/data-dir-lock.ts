import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../shared/config/environment.js';
import {
  LOCK_STALE_AFTER_MS,
  type LockFile,
  lockState,
  removeFreeLock,
  takeLockFile,
} from '../../shared/process/lock-file.js';

const POLL_INTERVAL_MS = 500;
/** Two that start at the same moment may each find the other's lock; one of them has it by then. */
const MAX_ATTEMPTS = 3;

/**
 * Makes this process the only user of `dataDir`: the embedded databases in it would be damaged by a second one.
 * A lock left behind by `kill -9` is no obstacle; one left behind by another container is waited for until it is
 * certain that nobody is behind it.
 *
 * @param say tells whoever is waiting why
 * @throws {ConfigError} when another live process holds it, or when nothing can be written there
 */
export async function lockDataDir(dataDir: string, say: (line: string) => void): Promise<LockFile> {
  try {
    await mkdir(dataDir, { recursive: true });
    return await lock(dataDir, say);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be written to: ${reason}`);
  }
}

async function lock(dataDir: string, say: (line: string) => void): Promise<LockFile> {
  const file = path.join(dataDir, 'waymark.lock');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const taken = await takeIfAbsent(file);
    if (taken !== undefined) return taken;
    await waitUntilFree(file, dataDir, say);
    await removeFreeLock(file);
  }
  throw new ConfigError(`DATA_DIR ${dataDir} could not be locked: another process is starting in it`);
}

async function takeIfAbsent(file: string): Promise<LockFile | undefined> {
  try {
    return await takeLockFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw error;
  }
}

async function waitUntilFree(file: string, dataDir: string, say: (line: string) => void): Promise<void> {
  const giveUpAtMs = Date.now() + LOCK_STALE_AFTER_MS + 2 * POLL_INTERVAL_MS;
  for (let waits = 0; ; waits += 1) {
    const holder = await lockState(file);
    if (holder.state === 'free') return;
    if (holder.state === 'held' || Date.now() > giveUpAtMs) {
      const who = holder.state === 'held' ? `process ${holder.pid}` : 'a process of another container';
      throw new ConfigError(
        `DATA_DIR ${dataDir} is in use by ${who}; stop it, or give this one another DATA_DIR`,
      );
    }
    if (waits === 0) say(`Waiting to see whether another container still uses DATA_DIR ${dataDir} …`);
    await sleep(POLL_INTERVAL_MS);
  }
}
