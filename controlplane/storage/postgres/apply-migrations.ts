import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { codeOf } from '../../../shared/process/error-facts.js';
import { buildIndex, parseIndexBuilds } from './concurrent-index.js';
import type { Connection, Database, Queryable } from './database.js';
import {
  type Migration,
  pendingMigrations,
  postgresMigrationsFolder,
  readMigrations,
  refuseNewerSchema,
  statementsOf,
} from './migrations.js';

/** Any constant does, as long as every control plane uses the same one. */
const MIGRATION_LOCK = 7_291_873;
const LOCK_POLL_MS = 250;
const WAIT_REPORT_MS = 10_000;
/** Maximum wait for a table lock. A waiting statement blocks all later ones on that table. */
const TABLE_LOCK_TIMEOUT = '3s';
const TABLE_LOCK_PAUSE_MS = 1_000;
/** About ten minutes. */
const TABLE_LOCK_ATTEMPTS = 150;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Applies the pending migrations, each in one transaction with its record. A migration of concurrent index builds runs
 * outside a transaction. Uses one connection without a statement timeout. If several control planes start at the same
 * time, one migrates and the others wait.
 *
 * @throws {SchemaTooNew} when a newer version has migrated the database
 * @throws when a file has changed after it was applied
 */
export async function applyMigrations(
  database: Database,
  logger: Logger,
  folder = postgresMigrationsFolder(),
): Promise<void> {
  const migrations = await readMigrations(folder);
  await database.session(async (connection) => {
    if ((await findPending(connection, migrations)).length === 0) return;
    await waitForMigrationLock(connection, logger);
    try {
      await applyPending({ database, connection, logger }, migrations);
    } finally {
      // Closing the connection releases the lock too. The embedded database keeps its connection.
      await connection.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    }
  });
}

interface Run {
  readonly database: Database;
  readonly connection: Connection;
  readonly logger: Logger;
}

async function findPending(connection: Queryable, migrations: readonly Migration[]): Promise<Migration[]> {
  const [row] = await connection.query<{ table: string | null }>(
    "SELECT to_regclass('schema_migrations')::text AS table",
  );
  if (row?.table == null) return [...migrations];
  const rows = await connection.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations',
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  refuseNewerSchema(migrations, applied.keys());
  return pendingMigrations(migrations, applied);
}

/** Polls: a connection that waits inside a statement would block the concurrent index builds of the other instance. */
async function waitForMigrationLock(connection: Queryable, logger: Logger): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const [row] = await connection.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      MIGRATION_LOCK,
    ]);
    if (row?.taken === true) return;
    if (waitedMs % WAIT_REPORT_MS === 0) {
      logger.info('another control plane migrates the database; waiting until it is done');
    }
    await sleep(LOCK_POLL_MS);
  }
}

async function applyPending(run: Run, migrations: readonly Migration[]): Promise<void> {
  const { connection, logger } = run;
  await connection.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  // Another instance may have applied some of them in the meantime.
  const pending = await findPending(connection, migrations);
  // The creation of a new database is reported elsewhere.
  const level = pending.length === migrations.length ? 'debug' : 'info';
  for (const [index, migration] of pending.entries()) {
    const progress = { migration: migration.name, number: index + 1, of: pending.length };
    logger[level](progress, 'applying a database migration');
    const startedMs = performance.now();
    await applyOne(run, migration);
    const durationMs = Math.round(performance.now() - startedMs);
    logger[level]({ ...progress, durationMs }, 'database migration applied');
  }
}

async function applyOne({ database, connection, logger }: Run, migration: Migration): Promise<void> {
  const builds = parseIndexBuilds(migration);
  if (builds === undefined) {
    await retryLocks(logger, migration, () => applyInTransaction(connection, migration));
    return;
  }
  for (const build of builds) {
    await retryLocks(logger, migration, () => buildIndex({ database, connection, logger }, build));
  }
  await recordMigration(connection, migration);
}

async function applyInTransaction(connection: Connection, migration: Migration): Promise<void> {
  await connection.transaction(async (tx) => {
    await tx.query(`SET LOCAL lock_timeout = '${TABLE_LOCK_TIMEOUT}'`);
    for (const statement of statementsOf(migration.sql)) await tx.query(statement);
    await recordMigration(tx, migration);
  });
}

async function recordMigration(target: Queryable, { name, checksum }: Migration): Promise<void> {
  await target.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
}

async function retryLocks(logger: Logger, { name }: Migration, attempt: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await attempt();
      return;
    } catch (error) {
      const isLock = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(error) ?? '');
      if (!isLock || attempts >= TABLE_LOCK_ATTEMPTS) throw error;
      logger.info({ migration: name, attempts }, 'a table is locked by others; the migration tries again');
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}
