import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../../shared/config/environment.js';
import { packageRoot } from '../../../shared/config/package-root.js';

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
  return path.join(packageRoot(), 'controlplane', 'storage', 'migrations', 'postgres');
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

/**
 * Refuses a database that a newer version has migrated.
 *
 * @param applied names of the migrations that the database has
 * @throws {SchemaTooNew}
 */
export function refuseNewerSchema(migrations: readonly Migration[], applied: Iterable<string>): void {
  const newest = migrations.at(-1)?.name ?? '';
  const unknown = [...applied].filter((name) => name > newest).sort();
  if (unknown.length > 0) throw new SchemaTooNew(unknown, newest);
}

/** The schema of the database is newer than this version of the program. */
export class SchemaTooNew extends ConfigError {
  override name = 'SchemaTooNew';

  constructor(unknown: readonly string[], newest: string) {
    super(
      `The database has migrations that this version does not know: ${unknown.join(', ')} (the newest known one is ${newest}). Start the version that applied them, or a later one.`,
    );
  }
}

/** The statements of a migration: each ends with a semicolon at the end of a line. */
export function statementsOf(sql: string): string[] {
  return sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--.*$/gm, '').trim() !== '');
}
