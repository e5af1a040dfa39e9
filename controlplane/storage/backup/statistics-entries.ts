import { readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { type BackupEntry, entriesBelow } from './backup-entry.js';

const FOLDER = 'clickhouse';
const FROZEN = 'waymark_backup';
/** The engine's database. It finds the tables through this symbolic link. */
const DATABASE_LINK = 'metadata/default';
/** Definitions of tables and other files outside the folders of parts. */
const BESIDE_PARTS =
  /^store(?:\/[^/]+){0,2}$|^store\/[^/]+\/[^/]+\/(?:[^/]+\.sql|format_version\.txt|mutation_\d+\.txt)$/;

/**
 * The tables of the embedded ClickHouse. FREEZE makes hard links of the parts, which takes milliseconds and no room, so hits
 * are stored while the parts are copied. The tables are frozen one after another: a batch that is stored at that moment
 * may be in one table and not in another.
 */
export async function* statisticsEntries(
  store: AnalyticsStore,
  dataDir: string,
): AsyncGenerator<BackupEntry> {
  const folder = path.join(dataDir, FOLDER);
  const frozen = path.join(folder, 'shadow', FROZEN);
  const unfreeze = () => rm(frozen, { recursive: true, force: true });
  // A process that was killed has left it.
  await unfreeze();
  try {
    for (const { name } of await tablesOf(store))
      await store.command(`ALTER TABLE {table:Identifier} FREEZE WITH NAME '${FROZEN}'`, { table: name });
    yield { kind: 'folder', name: FOLDER };
    yield { kind: 'folder', name: `${FOLDER}/${path.dirname(DATABASE_LINK)}` };
    const target = await readlink(path.join(folder, DATABASE_LINK));
    yield { kind: 'link', name: `${FOLDER}/${DATABASE_LINK}`, target };
    yield* entriesBelow(folder, FOLDER, (relative) => BESIDE_PARTS.test(relative));
    yield* entriesBelow(frozen, FOLDER);
  } finally {
    await unfreeze();
  }
}

function tablesOf(store: AnalyticsStore): Promise<{ name: string }[]> {
  return store.query(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
  );
}
