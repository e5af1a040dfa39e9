import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Mode bits of the group and of other users. */
const FOREIGN_RIGHTS = 0o077;

/** Value for `process.umask` that restricts new files (0600) and folders (0700) to their owner. */
export const OWNER_ONLY_UMASK = FOREIGN_RIGHTS;

/**
 * Removes all rights of other users from one file or folder.
 *
 * @returns whether other users had rights
 * @throws if it belongs to another user and is open to others
 */
export function makeOwnerOnly(place: string): boolean {
  const mode = statSync(place, { throwIfNoEntry: false })?.mode ?? 0;
  const isOpen = (mode & FOREIGN_RIGHTS) !== 0;
  if (isOpen) chmodSync(place, mode & 0o700);
  return isOpen;
}

/**
 * Removes all rights of other users from `place` and everything below it. Does not follow symbolic links below it.
 * Synchronous, because it runs before any asynchronous work starts.
 *
 * @param isWholeSearched whether to search folders that others cannot enter; if not, these are skipped, because others
 * cannot reach their content
 * @returns the number of files and folders that were open to others
 * @throws if one of them belongs to another user
 */
export function makeTreeOwnerOnly(place: string, isWholeSearched: boolean): number {
  const wasOpen = makeOwnerOnly(place);
  let changed = wasOpen ? 1 : 0;
  if (!(wasOpen || isWholeSearched) || !statSync(place, { throwIfNoEntry: false })?.isDirectory())
    return changed;
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) changed += makeTreeOwnerOnly(path.join(place, entry.name), isWholeSearched);
  }
  return changed;
}
