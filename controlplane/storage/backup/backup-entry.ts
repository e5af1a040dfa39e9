import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** One entry of a backup. `name` is relative to DATA_DIR, with `/` between folders. */
export type BackupEntry =
  /** The content of the file `from`, at the moment when it is read. */
  | { readonly kind: 'file'; readonly name: string; readonly from: string }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'folder'; readonly name: string }
  /** A symbolic link. */
  | { readonly kind: 'link'; readonly name: string; readonly target: string };

/** Yields the files and folders below `folder`, named below `name`. Symbolic links are left out. */
export async function* entriesBelow(
  folder: string,
  name: string,
  isIncluded: (relativePath: string) => boolean = () => true,
  below = '',
): AsyncGenerator<BackupEntry> {
  for (const found of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const relative = below === '' ? found.name : `${below}/${found.name}`;
    if (!isIncluded(relative)) continue;
    if (found.isDirectory()) {
      yield { kind: 'folder', name: `${name}/${relative}` };
      yield* entriesBelow(folder, name, isIncluded, relative);
    } else if (found.isFile()) {
      yield { kind: 'file', name: `${name}/${relative}`, from: path.join(folder, relative) };
    }
  }
}
