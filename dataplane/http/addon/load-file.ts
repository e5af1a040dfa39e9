import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Loads a native addon from a file and returns its exports. */
export function loadFile(file: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

/**
 * Loads a native addon from memory. Node loads addons from files only, so the bytes are written to a private temporary
 * file, which is removed as soon as it is loaded.
 *
 * @param folders tried in this order: one may be read-only or forbid execution (`noexec`)
 * @throws when none of them works; `errors` holds one error for each folder
 */
export function loadEdited(bytes: Buffer, folders: readonly string[]): unknown {
  const errors: unknown[] = [];
  for (const folder of folders) {
    try {
      return loadFrom(bytes, folder);
    } catch (error) {
      errors.push(error);
    }
  }
  throw new AggregateError(errors, `the HTTP server cannot be loaded from ${folders.join(' or ')}`);
}

function loadFrom(bytes: Buffer, folder: string): unknown {
  const own = mkdtempSync(path.join(folder, 'waymark-http-'));
  try {
    const file = path.join(own, 'uws.node');
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
    return loadFile(file);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
