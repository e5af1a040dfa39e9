import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A pipeline in order rejects none, so this many are plenty to find the fault by. */
const MAX_FILES = 100;

/** Location of a batch that cannot be stored, or why it was dropped. */
export type PutAside =
  | { readonly isKept: true; readonly place: string }
  | { readonly isKept: false; readonly error: unknown };

/** Keeps batches that cannot be stored for a person to look at. */
export interface RejectedBatches {
  /**
   * Resolves once nothing more is to be done for the batch.
   *
   * @param reason why it cannot be stored
   * @throws when it must not be given up yet: writing it is to be tried again
   */
  put(encoded: Uint8Array, reason: string): Promise<PutAside>;
}

/**
 * Puts each into a file of its own, the same batch into the same file, and leaves the newest hundred. One that the
 * disk does not take is given up: the hits behind it must not wait for that.
 *
 * @param folder is made when it is first needed
 */
export function createRejectedBatches(folder: string): RejectedBatches {
  const write = async (encoded: Uint8Array): Promise<string> => {
    await mkdir(folder, { recursive: true });
    const kept = (await readdir(folder)).filter((name) => name.endsWith('.batch')).sort();
    const digest = createHash('sha256').update(encoded).digest('hex').slice(0, 16);
    const known = kept.find((name) => name.endsWith(`-${digest}.batch`));
    if (known !== undefined) return path.join(folder, known);

    // Numbered, so that the order of names is the order of arrival.
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
