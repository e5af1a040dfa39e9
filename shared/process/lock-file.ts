import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { codeOf, ignoring } from './error-facts.js';
import { ownProcessMark, type ProcessMark, processState } from './process-mark.js';

/** A lock held by this process. Other processes must not use the locked resource. */
export interface LockFile {
  /** Removes the lock file. */
  release(): Promise<void>;
}

/**
 * - `free`: no process holds it, or its holder has ended.
 * - `held`: its process runs.
 * - `perhaps-held`: it belongs to another container or machine start, and was recently touched.
 */
export type LockState =
  | { readonly state: 'free' }
  | { readonly state: 'held' | 'perhaps-held'; readonly pid: number | undefined };

const TOUCH_INTERVAL_MS = 5_000;
/**
 * Age after which a lock is stale. It is longer than any stall of a running process. Used only for locks of other
 * containers and machine starts.
 */
export const LOCK_STALE_AFTER_MS = 20_000;

/** Represents the text of a lock file that cannot be read. */
const UNREADABLE = '';

/**
 * Creates the lock file with the mark of this process. The creation is atomic. Otherwise a killed process could leave a
 * file without a mark, which would block other processes until it is stale.
 *
 * @throws an error with the code `EEXIST` if a lock file exists, held or not
 */
export async function takeLockFile(filePath: string): Promise<LockFile> {
  const id = randomUUID();
  const unfinished = `${filePath}.${id}`;
  // No two locks have the same text, not even those of one process.
  const text = JSON.stringify({ ...(await ownProcessMark()), id });
  try {
    await writeFile(unfinished, text, { flag: 'wx', mode: 0o600 });
    await link(unfinished, filePath);
  } finally {
    await rm(unfinished, { force: true });
  }
  const touching = setInterval(() => {
    const now = new Date();
    // A failure at worst makes the lock stale. It cannot be handled better here.
    utimes(filePath, now, now).catch(() => undefined);
  }, TOUCH_INTERVAL_MS).unref();
  return {
    async release() {
      clearInterval(touching);
      const found = await textOf(filePath);
      if (found === text || found === UNREADABLE) await rm(filePath, { force: true });
    },
  };
}

/**
 * Removes a lock file that an ended process left behind. Does nothing if there is no such file, or if another process
 * removes it.
 *
 * Two processes may find the same file, and the slower one must not delete the new lock of the faster one. A process
 * therefore takes a claim first: a lock file whose name contains a digest of the text it read. Later locks have other
 * texts, so a claim never applies to them.
 *
 * The result is exact for processes of the same machine and container, as with `lockState`. The claim of a killed
 * process stays until another process checks the same lock. Without that lock the claim has no effect.
 */
export async function removeFreeLock(filePath: string): Promise<void> {
  const text = await textOf(filePath);
  if (text === undefined || (await lockState(filePath)).state !== 'free') return;
  const claimPath = `${filePath}.${digestOf(text)}.removal`;
  const claim = await takeLockFile(claimPath).catch(ignoring('EEXIST'));
  if (claim === undefined) {
    // A process that was killed between two of the lines below may have left its claim.
    await removeFreeLock(claimPath);
    return;
  }
  try {
    const { state } = await lockState(filePath);
    if (state === 'free' && (await textOf(filePath)) === text) await rm(filePath, { force: true });
  } finally {
    await claim.release();
  }
}

/** Returns the text of the lock file, or undefined if the file does not exist. */
function textOf(filePath: string): Promise<string | undefined> {
  return readFile(filePath, 'utf8').catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? undefined : UNREADABLE,
  );
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * Returns the holder of a lock file. The result is exact for processes of the same machine and container: a killed
 * process counts as ended immediately. For other processes, the only evidence is whether the file is still being
 * touched.
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

/** Parses the mark. Returns undefined if the process ended before it wrote the lock. */
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
