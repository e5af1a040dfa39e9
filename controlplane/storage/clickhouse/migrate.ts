import path from 'node:path';
import type { Logger } from 'pino';
import { unlessAborted } from '../../../shared/async/unless-aborted.js';
import { ConfigError } from '../../../shared/config/environment.js';
import { packageRoot } from '../../../shared/config/package-root.js';
import { type Migration, pendingMigrations, readMigrations, statementsOf } from '../postgres/migrations.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openAnalyticsStore } from './client.js';
import { changeOfProjections } from './cluster-ddl.js';
import { storeProblem } from './store-problem.js';
import { changeRows } from './table-rows.js';

export function clickhouseMigrationsFolder(): string {
  return path.join(packageRoot(), 'controlplane', 'storage', 'migrations', 'clickhouse');
}

type Statements = Pick<AnalyticsStore, 'query' | 'command' | 'insertRows'>;

export interface MigrationOptions {
  /** Folder of the migrations. */
  readonly folder?: string;
  /** Ends the migration between two statements, or during one on a server. */
  readonly signal?: AbortSignal;
}

/**
 * Applies missing migrations in order. ClickHouse has no transactions. After a crash a file may be applied but not
 * recorded. Two processes may apply it at the same time. Every statement can therefore be repeated (`IF NOT EXISTS`).
 *
 * @throws if an applied file has changed, or the signal is aborted
 */
export async function migrateAnalyticsStore(
  opened: AnalyticsStore,
  logger: Logger,
  { folder = clickhouseMigrationsFolder(), signal = new AbortController().signal }: MigrationOptions = {},
): Promise<void> {
  const store = endedBy(signal, opened);
  const migrations = await readMigrations(folder);
  await store.command(`CREATE TABLE IF NOT EXISTS schema_migrations (
    name String, checksum String, applied_at DateTime('UTC') DEFAULT now()
  ) ENGINE = ReplacingMergeTree ORDER BY name SETTINGS non_replicated_deduplication_window = 100`);
  const applied = await appliedChecksums(store);

  const pending = pendingMigrations(migrations, applied);
  for (const migration of pending) {
    for (const statement of statementsOf(migration.sql)) await apply(store, statement);
    await record(store, migration);
    logger.debug({ migration: migration.name }, 'analytics migration applied');
  }
  if (pending.length > 0 && applied.size > 0) {
    logger.info(
      { migrations: pending.length, newest: pending.at(-1)?.name },
      'the analytics schema was updated',
    );
  }
}

/**
 * Runs a statement; a change of projections on each shard, because a distributed table has no rows and no
 * projections.
 */
async function apply(store: Statements, statement: string): Promise<void> {
  const projection = changeOfProjections(statement);
  if (projection === undefined) await store.command(statement);
  else await changeRows(store, { table: projection.table, change: projection.addition, params: {} });
}

/** Returns the store. It begins no more statements once the signal is aborted. */
function endedBy(signal: AbortSignal, store: AnalyticsStore): Statements {
  const run = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted();
    // The embedded engine does not survive the end of its process during a statement.
    return store.kind === 'embedded' ? statement() : unlessAborted(signal, statement());
  };
  return {
    query: (sql, params) => run(() => store.query(sql, params)),
    command: (sql, params) => run(() => store.command(sql, params)),
    insertRows: (insert) => run(() => store.insertRows(insert)),
  };
}

async function appliedChecksums(store: Statements): Promise<Map<string, string>> {
  const rows = await store.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations FINAL',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function record(store: Statements, { name, checksum }: Migration): Promise<void> {
  await store.insertRows({
    table: 'schema_migrations',
    columns: ['name', 'checksum'],
    rows: JSON.stringify([name, checksum]),
    deduplicationToken: `${name}:${checksum}`,
  });
}

/**
 * Opens the store that the configuration names and brings its schema up to date.
 *
 * @param signal ends the opening
 * @throws {ConfigError} when the server cannot be reached or refuses the login
 */
export async function openMigratedStore(
  config: Parameters<typeof openAnalyticsStore>[0],
  logger: Logger,
  signal = new AbortController().signal,
): Promise<AnalyticsStore> {
  const store = await openAnalyticsStore(config);
  try {
    await migrateAnalyticsStore(store, logger, { signal });
  } catch (error) {
    await store.close();
    const problem = storeProblem(error, store.kind);
    throw problem === undefined ? error : new ConfigError(problem, { cause: error });
  }
  return store;
}
