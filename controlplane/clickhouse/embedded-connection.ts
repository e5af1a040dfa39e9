import { mkdir } from 'node:fs/promises';
import type { createClient } from '@clickhouse/client';
import { ConfigError } from '../../shared/config/environment.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { type ClientParams, withParameters } from './embedded-parameters.js';
import { duringStatement, guardExit } from './engine-exit.js';

type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** The part of `chdb/connection` that we use. Its own types are there only when the package is. */
interface ChdbModule {
  createChdbConnection(options: { path: string }): Connection;
}

// Not a literal, so that the project builds and runs without this optional package of 540 MB.
const CHDB_MODULE: string = 'chdb/connection';

/** What a statement may come to with the values of its parameters; the engine's own limit is 256 KiB. */
const MAX_STATEMENT_BYTES = 16 * 1024 ** 2;

/**
 * Of every statement. Compiling what was asked three times takes some 250 ms of both cores, once for each kind of question
 * after a start, and makes no answer quicker.
 */
const SETTINGS = [
  `max_query_size = ${MAX_STATEMENT_BYTES}`,
  'compile_expressions = 0',
  'compile_aggregate_expressions = 0',
  'compile_sort_description = 0',
].join(', ');

/**
 * Opens the embedded ClickHouse on a folder, which is made if need be. A process can have one at a time, and a
 * folder can be open in one process.
 *
 * @param settings of every statement, as `SET` takes them
 * @throws a one-line error that names the folder; nothing is open then
 */
export async function openEmbeddedConnection(folder: string, settings = SETTINGS): Promise<Connection> {
  const chdb = await loadChdb();
  guardExit();
  await mkdir(folder, { recursive: true });
  try {
    const connection = settingParameters(chdb.createChdbConnection({ path: folder }));
    await set(connection, settings);
    return connection;
  } catch (error) {
    throw new Error(`the embedded ClickHouse cannot open ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

async function set(connection: Connection, settings: string): Promise<void> {
  try {
    await connection.command({ query: `SET ${settings}` });
  } catch (error) {
    // Left open it would keep the folder, and the process from opening another one.
    await connection.close().catch(() => undefined);
    throw error;
  }
}

/** Several such connections run statements with parameters side by side. */
function settingParameters(connection: Connection): Connection {
  const bound = <Params extends { query: string; query_params?: ClientParams }>({
    query,
    query_params,
    ...params
  }: Params) => ({ ...params, query: withParameters(query, query_params) });
  return {
    query: (params) => duringStatement(() => connection.query(bound(params))),
    exec: (params) => duringStatement(() => connection.exec(bound(params))),
    command: (params) => duringStatement(() => connection.command(bound(params))),
    insert: (params) => duringStatement(() => connection.insert(params)),
    ping: (params) => duringStatement(() => connection.ping(params)),
    close: () => connection.close(),
  };
}

async function loadChdb(): Promise<ChdbModule> {
  try {
    return (await import(CHDB_MODULE)) as ChdbModule;
  } catch (error) {
    throw new ConfigError(
      'no ClickHouse for analytics: set CLICKHOUSE_URL to a server, or install the embedded one with `npm install chdb` (Linux and macOS)',
      { cause: error },
    );
  }
}
