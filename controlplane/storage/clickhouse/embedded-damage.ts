import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ignoring } from '../../../shared/process/error-facts.js';

const UUID = /^ATTACH TABLE \S+ UUID '([0-9a-f]{8}-[0-9a-f-]{27})'/;
/** ClickHouse puts it into the folder of every table. */
const TABLE_MARK = 'format_version.txt';

/**
 * Finds tables and files that are missing from an embedded ClickHouse before it is opened. ClickHouse itself would
 * create an empty table, or an empty database, in their place.
 *
 * @returns the missing part; undefined for a folder that is complete, empty or absent
 */
export async function findMissingPart(folder: string): Promise<string | undefined> {
  const tables = await tableFolders(folder);
  const definitions = path.join(folder, 'metadata', 'default');
  const names = await readdir(definitions).catch(ignoring('ENOENT'));
  if (names === undefined) return tables.size > 0 ? 'metadata/default' : undefined;
  for (const name of names.filter((entry) => entry.endsWith('.sql'))) {
    const [, uuid] = UUID.exec(await readFile(path.join(definitions, name), 'utf8')) ?? [];
    // ClickHouse does not start with an unreadable definition, so nothing is hidden here.
    if (uuid !== undefined && !tables.has(uuid))
      return `the folder of the table ${name.slice(0, -'.sql'.length)}`;
  }
  return undefined;
}

/** The ids of the tables that have a folder. */
async function tableFolders(folder: string): Promise<Set<string>> {
  const store = path.join(folder, 'store');
  const found = new Set<string>();
  for (const prefix of (await readdir(store).catch(ignoring('ENOENT'))) ?? []) {
    for (const uuid of await readdir(path.join(store, prefix)).catch(() => [])) {
      if (await exists(path.join(store, prefix, uuid, TABLE_MARK))) found.add(uuid);
    }
  }
  return found;
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
