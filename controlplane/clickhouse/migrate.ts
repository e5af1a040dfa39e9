import path from 'node:path';
import type { Logger } from 'pino';
import { packageRoot } from '../../shared/config/package-root.js';
import { type Migration, pendingMigrations, readMigrations, statementsOf } from '../database/migrations.js';
import type { AnalyticsStore } from './analytics-store.js';

export function clickhouseMigrationsFolder(): string {
  return path.join(packageRoot(), 'controlplane', 'migrations', 'clickhouse');
}

/**
 * Applies what is missing, in order. ClickHouse has no transactions: a crash may leave a file applied and not
 * recorded, and two processes may apply it at once. Every statement is therefore written so that it can be
 * repeated (`IF NOT EXISTS`).
 *
 * @throws when a file that was applied before has changed since
 */
export async function migrateAnalyticsStore(
  store: AnalyticsStore,
  logger: Logger,
  folder = clickhouseMigrationsFolder(),
): Promise<void> {
  const migrations = await readMigrations(folder);
  await store.command(`CREATE TABLE IF NOT EXISTS schema_migrations (
    name String, checksum String, applied_at DateTime('UTC') DEFAULT now()
  ) ENGINE = ReplacingMergeTree ORDER BY name SETTINGS non_replicated_deduplication_window = 100`);
  const applied = await appliedChecksums(store);

  for (const migration of pendingMigrations(migrations, applied)) {
    for (const statement of statementsOf(migration.sql)) await store.command(statement);
    await record(store, migration);
    logger.info({ migration: migration.name }, 'analytics migration applied');
  }
}

async function appliedChecksums(store: AnalyticsStore): Promise<Map<string, string>> {
  const rows = await store.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations FINAL',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function record(store: AnalyticsStore, { name, checksum }: Migration): Promise<void> {
  await store.insertRows({
    table: 'schema_migrations',
    columns: ['name', 'checksum'],
    rows: JSON.stringify([name, checksum]),
    deduplicationToken: `${name}:${checksum}`,
  });
}
