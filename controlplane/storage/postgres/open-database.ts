import type { Logger } from 'pino';
import { ConfigError } from '../../../shared/config/environment.js';
import { connectionProblem } from '../../../shared/process/connection-problem.js';
import { codeOf, messageOf } from '../../../shared/process/error-facts.js';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { applyMigrations } from './apply-migrations.js';
import type { Database } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { EmbeddedDatabaseLost, type WhenUnusable } from './embedded-database-lost.js';
import { SchemaTooNew } from './migrations.js';

export interface DatabaseConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Whether commits of the embedded database wait until the disk has them. Default: no. */
  readonly embeddedFsync?: boolean;
}

/**
 * Opens the database that the configuration names and brings its schema up to date.
 *
 * @param whenUnusable reaction to a missing or damaged embedded database
 * @throws {ConfigError} when the server cannot be reached or refuses the login, or the user may not create tables
 * @throws {SchemaTooNew} when a newer version has migrated it
 * @throws {EmbeddedDatabaseLost} when the embedded database is missing or damaged and must not be replaced
 */
export async function openDatabase(
  config: DatabaseConfig,
  logger: Logger,
  whenUnusable: WhenUnusable = 'create',
): Promise<Database> {
  if (config.databaseUrl === undefined) return openEmbedded(config, logger, whenUnusable);
  // Each driver is loaded only when it is the one in use: the embedded one alone costs 30 MB.
  const { openPostgresServer } = await import('./postgres-server.js');
  try {
    return await migrated(openPostgresServer(config.databaseUrl, logger), logger);
  } catch (error) {
    const problem = databaseProblem(error);
    throw problem === undefined ? error : new ConfigError(problem, { cause: error });
  }
}

async function openEmbedded(
  { dataDir, embeddedFsync: fsync = false }: DatabaseConfig,
  logger: Logger,
  whenUnusable: WhenUnusable,
): Promise<Database> {
  const { openPostgresEmbedded } = await import('./postgres-embedded.js');
  const database = await openPostgresEmbedded(dataDir, { fsync, whenUnusable }, logger);
  try {
    return await migrated(database, logger);
  } catch (cause) {
    const damage = `the embedded PostgreSQL in ${dataDir} cannot be brought up to date (${messageOf(cause)})`;
    // A newer version can use it, so it must not be replaced.
    if (cause instanceof SchemaTooNew) throw cause;
    if (whenUnusable === 'create') throw cause;
    const noRoom = await writeProblem(dataDir, START_BYTES);
    // One that only lacks room is not damaged.
    if (whenUnusable === 'refuse' || noRoom !== undefined) {
      throw new EmbeddedDatabaseLost(damage, noRoom !== undefined, { cause });
    }
    const [{ putAside }, { embeddedFolder }] = await Promise.all([
      import('./embedded-cluster.js'),
      import('./postgres-embedded.js'),
    ]);
    await putAside(embeddedFolder(dataDir), damage, logger);
    return migrated(await openPostgresEmbedded(dataDir, { fsync, whenUnusable: 'create' }, logger), logger);
  }
}

/** The database with its schema up to date; closed when that fails. */
async function migrated(database: Database, logger: Logger): Promise<Database> {
  try {
    await applyMigrations(database, logger);
    return database;
  } catch (error) {
    // A damaged one may fail to close as well; why it cannot be used says more.
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** Problem and fix for each error, keyed by PostgreSQL's error code (appendix A of its manual). */
const PROBLEMS: readonly { readonly codes: RegExp; readonly problem: string; readonly fix: string }[] = [
  {
    codes: /^28P01$/,
    problem: 'has a password that PostgreSQL refuses',
    fix: 'correct the user name or password',
  },
  {
    codes: /^28...$/,
    problem: 'names a user whom PostgreSQL does not let in',
    fix: 'create the user, or let it in by pg_hba.conf',
  },
  {
    codes: /^3D000$/,
    problem: 'names a database that does not exist',
    fix: 'create it with createdb, or correct the name',
  },
  {
    codes: /^(42501|25006)$/,
    problem: 'names a user who cannot make tables there',
    fix: 'let the user own the database, on a server that can be written to',
  },
];

/** Returns one line for the operator: variable, problem and fix. Undefined for an error that no operator can fix. */
function databaseProblem(error: unknown): string | undefined {
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  const code = codeOf(cause) ?? '';
  const known = PROBLEMS.find(({ codes }) => codes.test(code));
  if (known !== undefined) {
    return `DATABASE_URL ${known.problem} (${messageOf(cause)}): ${known.fix}`;
  }
  if (!(error instanceof DatabaseUnavailableError)) return undefined;
  return `DATABASE_URL names a server that cannot be reached: ${connectionProblem(cause)}`;
}
