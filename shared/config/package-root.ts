import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the folder of `package.json`. Searches from the folder of this module, so data files are found from both the
 * sources and the compiled output.
 */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error('package.json was not found in any folder above this module');
    folder = parent;
  }
  return folder;
}
