import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { inject } from 'vitest';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import type { Database } from './database.js';
import { copyEmbeddedTemplate } from './embedded-template.fixture.js';
import { newId } from './new-id.js';
import { openDatabase } from './open-database.js';
import { openPostgresServer } from './postgres-server.js';
import { type RememberedState, rememberState } from './reset-database.fixture.js';

export interface TestDatabase {
  readonly database: Database;
  /** Closes it and removes everything that was in it. */
  close(): Promise<void>;
}

const silent = pino({ level: 'silent' });

/**
 * A migrated, empty database of the test's own: embedded, or a schema on the server that DATABASE_URL names. Files of one
 * process get the same embedded one after another. Where a file has changed its tables, the next gets a new one.
 */
export async function openTestDatabase(logger: Logger = silent): Promise<TestDatabase> {
  const { DATABASE_URL: serverUrl } = processEnvironment();
  return serverUrl === undefined || serverUrl === '' ? openEmbedded(logger) : openSchema(serverUrl, logger);
}

interface Spare {
  readonly database: Database;
  readonly state: RememberedState;
  readonly dataDir: string;
}

/** Databases that test files of this process have closed. Opening one takes as long as many tests. */
const spares: Spare[] = [];

async function openEmbedded(logger: Logger): Promise<TestDatabase> {
  // A test that reads the log needs a database that writes there.
  if (logger.level !== silent.level) return openUnshared(logger);
  const spare = spares.pop() ?? (await openSpare());
  const { database, end, isClosed } = untilClosed(spare.database);
  return {
    database,
    async close() {
      await end();
      if (!isClosed() && (await spare.state.restore())) return void spares.push(spare);
      if (!isClosed()) await spare.database.close();
      await rm(spare.dataDir, { recursive: true, force: true });
    },
  };
}

/** Its folder is removed with the folder of the run: it stays open until the process ends. */
async function openSpare(): Promise<Spare> {
  const dataDir = await mkdtemp(path.join(inject('runFolder'), 'spare-'));
  await copyEmbeddedTemplate(dataDir);
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, silent);
  return { database, dataDir, state: await rememberState(database) };
}

/** The database for one test file: it takes no statement when that has closed it. */
function untilClosed(shared: Database) {
  let isOver = false;
  let isClosed = false;
  const underWay = new Set<Promise<unknown>>();
  const allowed = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isOver) throw new Error('the database is closed');
    const statement = work();
    underWay.add(statement);
    try {
      return await statement;
    } finally {
      underWay.delete(statement);
    }
  };
  const database: Database = {
    kind: shared.kind,
    query: (sql, params) => allowed(() => shared.query(sql, params)),
    transaction: (work, options) => allowed(() => shared.transaction(work, options)),
    session: (work) => allowed(() => shared.session(work)),
    script: (sql) => allowed(() => shared.script(sql)),
    ping: () => allowed(() => shared.ping()),
    async close() {
      isOver = true;
      isClosed = true;
      await shared.close();
    },
  };
  return {
    database,
    isClosed: () => isClosed,
    async end() {
      isOver = true;
      await Promise.allSettled(underWay);
    },
  };
}

async function openUnshared(logger: Logger): Promise<TestDatabase> {
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

/** Creates an empty schema on a server. Its URL can be used like that of a separate database. */
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
