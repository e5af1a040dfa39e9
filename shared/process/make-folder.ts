import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder, and those above it that are missing. For folders that a person names: the `recursive` of Node's own
 * `mkdir` never ends where a file system says of an existing folder that it is not there, as /proc does.
 *
 * @throws what keeps one of them from being made
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Somebody else may have been quicker.
    if (!(await isFolder(folder))) throw error;
  }
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
