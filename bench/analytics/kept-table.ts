import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ignoring } from '../../shared/process/error-facts.js';
import type { LargeTable } from './large-table.js';

/** A filled table of hits in the data directory of a product, for later runs. */
export interface KeptTable extends Pick<LargeTable, 'redirectId' | 'hits' | 'hitsOfRedirect' | 'days'> {
  /** Day (UTC, YYYY-MM-DD) of the last hits. */
  readonly lastDay: string;
}

const FILE = 'bench-table.json';

/**
 * Reads the table that an earlier run left in the folder.
 *
 * @returns undefined if the folder is empty or missing
 * @throws if the folder holds anything other than a completely filled table
 */
export async function readKeptTable(dataDir: string): Promise<KeptTable | undefined> {
  const names = await namesIn(dataDir);
  if (names.length === 0) return undefined;
  if (!names.includes(FILE)) {
    throw new Error(
      `${dataDir} has no ${FILE}: either its table was not filled to the end, or it is something else. Name an empty folder`,
    );
  }
  return JSON.parse(await readFile(path.join(dataDir, FILE), 'utf8')) as KeptTable;
}

/** Notes down that the table is filled. It is there as a whole or not at all. */
export async function writeKeptTable(dataDir: string, table: KeptTable): Promise<void> {
  const file = path.join(dataDir, FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(table, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoring('ENOENT'))) ?? [];
}
