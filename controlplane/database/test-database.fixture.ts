import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { processEnvironment } from '../../shared/config/process-environment.js';
import type { Database } from './database.js';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { newId } from './new-id.js';
import { openDatabase } from './open-database.js';
import { openPostgresServer } from './postgres-server.js';

export interface TestDatabase {
  readonly database: Database;
  /** Closes it and removes everything that was in it. */
  close(): Promise<void>;
}

const silent = pino({ level: 'silent' });

/**
 * A migrated database of the test's own: embedded, or a schema on the server that DATABASE_URL names. An embedded
 * one takes a second to open; once per test file is enough.
 */
export async function openTestDatabase(logger: Logger = silent): Promise<TestDatabase> {
  const { DATABASE_URL: serverUrl } = processEnvironment();
  return serverUrl === undefined || serverUrl === '' ? openEmbedded(logger) : openSchema(serverUrl, logger);
}

async function openEmbedded(logger: Logger): Promise<TestDatabase> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'waymark-database-'));
  await copyEmbeddedTemplate(dataDir);
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, logger);
  return {
    database,
    async close() {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function openSchema(serverUrl: string, logger: Logger): Promise<TestDatabase> {
  const { databaseUrl, drop } = await createTestSchema(serverUrl, logger);
  const database = await openDatabase({ databaseUrl, dataDir: '' }, logger);
  return {
    database,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** An empty schema on a server, as the URL of a database of its own. */
export async function createTestSchema(
  serverUrl: string,
  logger: Logger = silent,
): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const schema = `test_${newId()}`;
  const server = openPostgresServer(serverUrl, logger);
  await server.script(`CREATE SCHEMA ${schema}`);
  const databaseUrl = new URL(serverUrl);
  databaseUrl.searchParams.set('options', `-c search_path=${schema}`);
  return {
    databaseUrl: databaseUrl.href,
    async drop() {
      await server.script(`DROP SCHEMA ${schema} CASCADE`);
      await server.close();
    },
  };
}
