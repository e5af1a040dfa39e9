import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ignoring } from '../../shared/process/error-facts.js';
import { syncFolder } from './sync-folder.js';

/** Holds a backup while it is unpacked and checked. */
export const UNPACKED = 'waymark.restoring';
/** Holds a complete backup that replaces the data. */
const WHOLE = 'waymark.restored';
const PLAN = 'plan.json';

interface Plan {
  /** Files and folders of DATA_DIR that the backup replaces. */
  readonly replaced: readonly string[];
  /** Those that it does not have, and that would contradict it. */
  readonly removed: readonly string[];
  /** Folder for the old ones. */
  readonly aside: string;
}

/**
 * Replaces the data by the unpacked backup, and moves the old data to a separate folder in DATA_DIR. Every step is a
 * rename, so no space is needed, and `finishReplacing` can continue after a crash.
 *
 * @returns the folder with the old data; undefined when there was none
 */
export async function replaceData(dataDir: string, names: Omit<Plan, 'aside'>): Promise<string | undefined> {
  const aside = `waymark.before-restore-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  const plan: Plan = { ...names, aside };
  // A power cut after the rename must find the plan.
  await writeFile(path.join(dataDir, UNPACKED, PLAN), JSON.stringify(plan), { mode: 0o600, flush: true });
  await syncFolder(path.join(dataDir, UNPACKED));
  await rename(path.join(dataDir, UNPACKED), path.join(dataDir, WHOLE));
  await syncFolder(dataDir);
  await finishReplacing(dataDir);
  const old = path.join(dataDir, aside);
  return existsSync(old) ? old : undefined;
}

/**
 * Continues a restore that was interrupted while it replaced the data. Removes the unpacked files of a restore that was
 * interrupted earlier. The caller must hold the lock of DATA_DIR.
 *
 * @returns whether there was a restore to continue
 */
export async function finishReplacing(dataDir: string): Promise<boolean> {
  await rm(path.join(dataDir, UNPACKED), { recursive: true, force: true });
  const whole = path.join(dataDir, WHOLE);
  const plan = await readFile(path.join(whole, PLAN), 'utf8').catch(ignoring('ENOENT'));
  if (plan === undefined) return false;
  const { replaced, removed, aside }: Plan = JSON.parse(plan);
  const old = path.join(dataDir, aside);
  await mkdir(old, { recursive: true });
  const putAside = (name: string) =>
    rename(path.join(dataDir, name), path.join(old, name)).catch(ignoring('ENOENT'));
  for (const name of removed) await putAside(name);
  for (const name of replaced) {
    // An entry that is missing here has already been moved.
    if (!existsSync(path.join(whole, name))) continue;
    await putAside(name);
    await rename(path.join(whole, name), path.join(dataDir, name));
  }
  await rmdir(old).catch(ignoring('ENOTEMPTY'));
  await syncFolder(dataDir);
  await rm(whole, { recursive: true });
  return true;
}
