import { randomUUID } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, messageOf } from './error-facts.js';

/** Free space that a start needs: one segment of PostgreSQL's WAL, which the start may create. */
export const START_BYTES = 16 * 1024 * 1024;
const PROBE_BYTES = 4_096;
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
};

/** Returns the reason of a failed write: a few words for a known reason, otherwise the error's message. */
export function writeErrorText(error: unknown): string {
  return PROBLEMS[codeOf(error) ?? ''] ?? messageOf(error);
}

/**
 * Returns why `folder` is not writable, in a few words; undefined if it has room. Never rejects.
 *
 * @param leastFreeBytes minimum free space; with less, the disk counts as full
 */
export async function writeProblem(folder: string, leastFreeBytes = 0): Promise<string | undefined> {
  const probe = path.join(folder, `waymark.probe.${randomUUID()}`);
  try {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 });
    return bavail * bsize < leastFreeBytes ? 'the disk is full' : undefined;
  } catch (error) {
    return writeErrorText(error);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
