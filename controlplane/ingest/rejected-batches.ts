import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A pipeline in order rejects none, so this many are plenty to find the fault by. */
const MAX_FILES = 100;

/** Keeps batches that cannot be stored for a person to look at: the newest hundred. */
export interface RejectedBatches {
  /** Resolves to the file that the batch was put into. The same batch goes into the same file. */
  put(encoded: Uint8Array): Promise<string>;
}

/** @param folder is made when it is first needed */
export function createRejectedBatches(folder: string): RejectedBatches {
  return {
    async put(encoded) {
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
    },
  };
}
