import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { ownProcessMark, type ProcessMark, processState } from './process-mark.js';

/** The mark that a process is using something, which others are to leave alone. */
export interface LockFile {
  /** Removes the mark. */
  release(): Promise<void>;
}

/**
 * - `free`: nobody has it, or who had it has ended.
 * - `held`: its process runs.
 * - `perhaps-held`: of another container or machine start; recently touched, so somebody may be behind it.
 */
export type LockState =
  | { readonly state: 'free' }
  | { readonly state: 'held' | 'perhaps-held'; readonly pid: number | undefined };

const TOUCH_INTERVAL_MS = 5_000;
/** Longer than any stall of a living process; only for locks of other containers and machine starts. */
export const LOCK_STALE_AFTER_MS = 20_000;

/**
 * Makes the lock file, in the name of this process. It appears complete or not at all: one without a name in it,
 * left behind by a process that was killed just then, would bar the way until it is stale.
 *
 * @throws an error with the code `EEXIST` when there is one, be it held or left behind
 */
export async function takeLockFile(filePath: string): Promise<LockFile> {
  const unfinished = `${filePath}.${randomUUID()}`;
  try {
    await writeFile(unfinished, JSON.stringify(await ownProcessMark()), { flag: 'wx', mode: 0o600 });
    await link(unfinished, filePath);
  } finally {
    await rm(unfinished, { force: true });
  }
  const touching = setInterval(() => {
    const now = new Date();
    // A failure shows as a stale lock, which is the worst it can lead to; nothing better can be done here.
    utimes(filePath, now, now).catch(() => undefined);
  }, TOUCH_INTERVAL_MS).unref();
  return {
    async release() {
      clearInterval(touching);
      await rm(filePath, { force: true });
    },
  };
}

/**
 * Removes a lock file if it is free. One at a time: of two that find the same lock left behind, the slower must
 * not remove what the faster has put in its place. Does nothing when it is another's turn.
 */
export async function removeFreeLock(filePath: string): Promise<void> {
  const turnPath = `${filePath}.removal`;
  const turn = await takeLockFile(turnPath).catch(ignoreExisting);
  if (turn === undefined) {
    // Left behind by a process that was killed between two of the lines below.
    if ((await lockState(turnPath)).state === 'free') await rm(turnPath, { force: true });
    return;
  }
  try {
    if ((await lockState(filePath)).state === 'free') await rm(filePath, { force: true });
  } finally {
    await turn.release();
  }
}

/**
 * Who holds a lock file. Exact for processes of the same machine and container: one that was killed counts as
 * ended at once. For others all there is to go by is whether the file is still being touched.
 */
export async function lockState(filePath: string): Promise<LockState> {
  const found = await stat(filePath).catch(() => undefined);
  if (found === undefined) return { state: 'free' };
  const mark = parseMark(await readFile(filePath, 'utf8').catch(() => ''));
  const state = mark === undefined ? 'unknown' : await processState(mark);
  if (state === 'running') return { state: 'held', pid: mark?.pid };
  const isTouched = Date.now() - found.mtimeMs < LOCK_STALE_AFTER_MS;
  return state === 'unknown' && isTouched ? { state: 'perhaps-held', pid: mark?.pid } : { state: 'free' };
}

/** Undefined for a lock that its process did not live to write. */
function parseMark(text: string): ProcessMark | undefined {
  try {
    const mark: Partial<ProcessMark> = JSON.parse(text);
    const { pid, startTicks, scope } = mark;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
    if (typeof startTicks !== 'string' || typeof scope !== 'string') return undefined;
    return { pid, startTicks, scope };
  } catch {
    return undefined;
  }
}

/** @throws every other error */
function ignoreExisting(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
  throw error;
}
