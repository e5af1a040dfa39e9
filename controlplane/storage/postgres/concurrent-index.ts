import type { Logger } from 'pino';
import type { Connection, Database, Queryable } from './database.js';
import { type Migration, statementsOf } from './migrations.js';

const PROGRESS_INTERVAL_MS = 5_000;

/** One `CREATE INDEX CONCURRENTLY` of a migration. */
export interface IndexBuild {
  readonly index: string;
  readonly statement: string;
}

const CONCURRENTLY = /\bCONCURRENTLY\b/i;
const BUILD = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?<index>[a-z][a-z0-9_]*)\s+ON\s/;

/**
 * Returns the index builds of a migration, or undefined for a migration that runs in a transaction.
 *
 * @throws when a migration mixes concurrent index builds with other statements, because those may not be repeatable
 */
export function parseIndexBuilds({ name, sql }: Migration): readonly IndexBuild[] | undefined {
  const statements = statementsOf(sql).map((statement) => statement.replace(/^\s*--.*$/gm, '').trim());
  if (!statements.some((statement) => CONCURRENTLY.test(statement))) return undefined;
  return statements.map((statement) => {
    const index = BUILD.exec(statement)?.groups?.index;
    if (index === undefined) {
      throw new Error(
        `migration ${name} may only hold statements "CREATE [UNIQUE] INDEX CONCURRENTLY name ON …": it runs outside a transaction`,
      );
    }
    return { index, statement };
  });
}

export interface IndexBuildRun {
  readonly database: Database;
  readonly connection: Connection;
  readonly logger: Logger;
}

/** Builds an index while others write to its table. Replaces an invalid index, which an interrupted build leaves. */
export async function buildIndex(run: IndexBuildRun, { index, statement }: IndexBuild): Promise<void> {
  const { database, connection, logger } = run;
  // PGlite never finishes a concurrent build, and has no other connection that could write.
  const adapted = (sql: string) => (database.kind === 'server' ? sql : sql.replace(CONCURRENTLY, ''));
  const [existing] = await connection.query<{ is_valid: boolean }>(
    'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  if (existing?.is_valid === true) return;
  if (existing !== undefined) {
    logger.info({ index }, 'an index build was interrupted; building it again');
    await connection.query(adapted(`DROP INDEX CONCURRENTLY ${index}`));
  }
  const endReports = await reportProgress(run, index);
  try {
    await connection.query(adapted(statement));
  } finally {
    endReports();
  }
}

/** Logs how far the build is, every few seconds. Returns a function that ends the reports. */
async function reportProgress(
  { database, connection, logger }: IndexBuildRun,
  index: string,
): Promise<() => void> {
  // The only connection of the embedded database is busy with the build.
  if (database.kind === 'embedded') return () => undefined;
  const [backend] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const report = async () => {
    const progress = await readProgress(database, backend?.pid).catch(() => undefined);
    if (progress !== undefined) logger.info({ index, ...progress }, 'building an index');
  };
  const timer = setInterval(() => void report(), PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

interface Progress {
  readonly phase: string;
  readonly percent: number | null;
}

async function readProgress(source: Queryable, pid: number | undefined): Promise<Progress | undefined> {
  const [row] = await source.query<Progress>(
    `SELECT phase, round(100.0 * greatest(blocks_done::float8 / nullif(blocks_total, 0),
       tuples_done::float8 / nullif(tuples_total, 0)))::int AS percent
     FROM pg_stat_progress_create_index WHERE pid = $1`,
    [pid],
  );
  return row;
}
