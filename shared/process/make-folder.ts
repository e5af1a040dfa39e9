import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and its missing parents. Use it for folders that a person names: Node's recursive `mkdir` never ends
 * where a file system reports an existing folder as missing, as /proc does.
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
