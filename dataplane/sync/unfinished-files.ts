import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isPidInUse } from '../../shared/process/process-mark.js';

/** Part of the name after that of the whole file; it identifies the writer. */
const SUFFIX = /^\.(\d+)\.tmp$/;

/**
 * Returns the path of a temporary file that replaces `file` when complete. It contains the pid, so processes that
 * share a folder never write to the same file.
 */
export function unfinishedFile(file: string): string {
  return `${file}.${process.pid}.tmp`;
}

/**
 * Removes the unfinished files of ended processes beside `file`. Each crash can leave one as large as the whole.
 * Never rejects; a file that cannot be removed stays until the next time.
 */
export async function removeUnfinishedFiles(file: string): Promise<void> {
  const { dir, base } = path.parse(file);
  const names = await readdir(dir).catch(() => []);
  const ended = names.filter((name) => name.startsWith(base) && isOfEnded(name.slice(base.length)));
  await Promise.all(ended.map((name) => rm(path.join(dir, name), { force: true }).catch(() => undefined)));
}

function isOfEnded(suffix: string): boolean {
  const pid = SUFFIX.exec(suffix)?.[1];
  return pid !== undefined && !isPidInUse(Number(pid));
}
