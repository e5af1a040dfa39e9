import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import type { Database } from '../postgres/database.js';
import type { BackupEntry } from './backup-entry.js';
import { statisticsEntries } from './statistics-entries.js';

export interface EmbeddedStores {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly dataDir: string;
}

/** Returns the entries of the databases in this process for a backup. Servers have their own backups. */
export async function* embeddedEntries({
  database,
  store,
  dataDir,
}: EmbeddedStores): AsyncGenerator<BackupEntry> {
  if (database.kind === 'embedded') {
    // Loads the embedded database, which images for servers do not have.
    const { databaseEntries } = await import('./database-entries.js');
    yield* databaseEntries(database, dataDir);
  }
  if (store.kind === 'embedded') yield* statisticsEntries(store, dataDir);
}
