import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder and its missing parents. Use it for folders that a person configures: Node's recursive `mkdir` never
 * ends if a file system reports an existing folder as missing, as /proc does.
 *
 * @throws the error of the first folder that cannot be created
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process may have created it first.
    if (!(await isFolder(folder))) throw error;
  }
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
