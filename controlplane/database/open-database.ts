import type { Logger } from 'pino';
import { ConfigError } from '../../shared/config/environment.js';
import type { Database } from './database.js';
import { databaseProblem } from './database-problem.js';
import { applyMigrations } from './migrations.js';

export interface DatabaseConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/**
 * Opens the database that the configuration names and brings its schema up to date.
 *
 * @throws {ConfigError} when the server cannot be reached or refuses the login, or the user may not make tables
 */
export async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<Database> {
  const database = await connect(config, logger);
  try {
    await applyMigrations(database, logger);
  } catch (error) {
    await database.close();
    throw asConfigError(error);
  }
  return database;
}

/** What the operator must change, as a `ConfigError`; otherwise the error itself. */
function asConfigError(error: unknown): unknown {
  const problem = databaseProblem(error);
  return problem === undefined ? error : new ConfigError(problem, { cause: error });
}

// Each driver is loaded only when it is the one in use: the embedded one alone costs 30 MB.
async function connect(config: DatabaseConfig, logger: Logger): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const { openPostgresServer } = await import('./postgres-server.js');
    return openPostgresServer(config.databaseUrl, logger);
  }
  const { openPostgresEmbedded } = await import('./postgres-embedded.js');
  return openPostgresEmbedded(config.dataDir);
}
