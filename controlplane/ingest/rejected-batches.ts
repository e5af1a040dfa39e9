import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Maximum number of files. A healthy pipeline rejects no batch, so this is enough to find the fault. */
const MAX_FILES = 100;

/** Location of a batch that cannot be stored, or why it was dropped. */
export type PutAside =
  | { readonly isKept: true; readonly place: string }
  | { readonly isKept: false; readonly error: unknown };

/** Keeps batches that cannot be stored for an operator. */
export interface RejectedBatches {
  /**
   * Resolves when the batch is finished.
   *
   * @param reason why it cannot be stored
   * @throws when it must not be dropped yet: its write must be repeated
   */
  put(encoded: Uint8Array, reason: string): Promise<PutAside>;
}

/**
 * Writes each batch to a file, the same batch to the same file, and keeps the newest hundred. If the disk fails, the
 * batch is dropped: the hits after it must not wait.
 *
 * @param folder created on first use
 */
export function createRejectedBatches(folder: string): RejectedBatches {
  const write = async (encoded: Uint8Array): Promise<string> => {
    await mkdir(folder, { recursive: true });
    const kept = (await readdir(folder)).filter((name) => name.endsWith('.batch')).sort();
    const digest = createHash('sha256').update(encoded).digest('hex').slice(0, 16);
    const known = kept.find((name) => name.endsWith(`-${digest}.batch`));
    if (known !== undefined) return path.join(folder, known);

    // The number makes the order of names equal to the order of arrival.
    const number = Number.parseInt(kept.at(-1) ?? '0', 10) + 1;
    const file = path.join(folder, `${String(number).padStart(9, '0')}-${digest}.batch`);
    for (const name of kept.slice(0, Math.max(0, kept.length + 1 - MAX_FILES))) {
      await rm(path.join(folder, name), { force: true });
    }
    await writeFile(file, encoded);
    return file;
  };

  return {
    async put(encoded) {
      try {
        return { isKept: true, place: await write(encoded) };
      } catch (error) {
        return { isKept: false, error };
      }
    },
  };
}
