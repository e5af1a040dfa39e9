import { randomUUID } from 'node:crypto';
import { accessSync, constants, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateMaterial } from '../../shared/certificates/certificate-material.js';

/** Files in memory, on Linux. */
const SHARED_MEMORY = '/dev/shm';
const PREFIX = 'waymark-key-';
/** A file that is older was left behind by a killed process. */
const LEFT_BEHIND_AFTER_MS = 60_000;

/** Hands certificates with their private keys to code that reads files. */
export interface KeyFiles {
  /**
   * Calls `load` with a file that only this user can read, and removes the file afterwards.
   *
   * @throws when the file cannot be written, and what `load` throws
   */
  withFile(material: CertificateMaterial, load: (file: string) => void): void;
}

/**
 * Writes to shared memory, or to `dataDir` if there is none. Removes files that killed processes left.
 *
 * @param folder Default: shared memory
 */
export function createKeyFiles(dataDir: string, folder = SHARED_MEMORY): KeyFiles {
  const place = isWritable(folder) ? folder : dataDir;
  removeLeftBehind(place);
  return {
    withFile({ certificate, privateKey }, load) {
      const file = path.join(place, `${PREFIX}${randomUUID()}`);
      try {
        writeFileSync(file, `${certificate.trimEnd()}\n${privateKey}`, { mode: 0o600, flag: 'wx' });
        load(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function removeLeftBehind(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(PREFIX))) {
    const file = path.join(folder, name);
    try {
      if (Date.now() - statSync(file).mtimeMs > LEFT_BEHIND_AFTER_MS) rmSync(file, { force: true });
    } catch {
      // It is of another user, or gone.
    }
  }
}
