import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { packageRoot } from '../../shared/config/package-root.js';
import type { Database } from './database.js';

/** Any constant does, as long as every control plane uses the same one. */
const MIGRATION_LOCK = 7_291_873;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Reads the numbered `.sql` files of a folder, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

export function postgresMigrationsFolder(): string {
  return path.join(packageRoot(), 'controlplane', 'migrations', 'postgres');
}

/**
 * Applies what is missing, each file in one transaction together with its record. Several control planes may
 * start at once: the transaction holds a lock, so that one applies and the others find it done.
 *
 * @throws when a file that was applied before has changed since
 */
export async function applyMigrations(
  database: Database,
  logger: Logger,
  folder = postgresMigrationsFolder(),
): Promise<void> {
  const migrations = await readMigrations(folder);
  let count = 0;
  await database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const applied = new Map(
      (
        await tx.query<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations')
      ).map((row) => [row.name, row.checksum]),
    );
    for (const migration of pendingMigrations(migrations, applied)) {
      for (const statement of statementsOf(migration.sql)) await tx.query(statement);
      await tx.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [
        migration.name,
        migration.checksum,
      ]);
      logger.debug({ migration: migration.name }, 'database migration applied');
      count += 1;
    }
  });
  // A new database is told of by whoever makes it.
  if (count > 0 && count < migrations.length) {
    logger.info({ migrations: count, newest: migrations.at(-1)?.name }, 'the database schema was updated');
  }
}

/**
 * The migrations that are not applied yet, in order.
 *
 * @param applied checksums by name
 * @throws when a file that was applied before has changed since
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): Migration[] {
  const changed = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed !== undefined) {
    throw new Error(
      `migration ${changed.name} was changed after it had been applied; add a new file instead`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

/** The statements of a migration: each ends with a semicolon at the end of a line. */
export function statementsOf(sql: string): string[] {
  return sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--.*$/gm, '').trim() !== '');
}
