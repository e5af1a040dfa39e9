import type { Logger } from 'pino';
import { ConfigError } from '../../shared/config/environment.js';
import type { Database } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';
import { applyMigrations } from './migrations.js';

export interface DatabaseConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/**
 * Opens the database that the configuration names and brings its schema up to date.
 *
 * @throws {ConfigError} when the server cannot be reached
 */
export async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<Database> {
  const database = await connect(config, logger);
  try {
    await applyMigrations(database, logger);
  } catch (error) {
    await database.close();
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : 'no answer';
    throw new ConfigError(`DATABASE_URL names a server that cannot be reached: ${reason}`, { cause: error });
  }
  return database;
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
