import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder that holds `package.json`, found from this module's own place, so that data files are found from
 * the sources as well as from the compiled output.
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
