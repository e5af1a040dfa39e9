import { mkdir } from 'node:fs/promises';
import type { createClient } from '@clickhouse/client';
import { ConfigError } from '../../../shared/config/environment.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { type ClientParams, withParameters } from './embedded-parameters.js';
import { duringStatement, guardExit } from './engine-exit.js';

type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** The parts of `chdb` and `chdb/connection` that we use. Their own types are there only when the package is. */
interface ChdbModule {
  readonly Session: new (path: string, options: { connectionArgs: readonly string[] }) => { close(): void };
  createChdbConnection(options: { path: string }): Connection;
}

// Not literals, so that the project builds and runs without this optional package of 540 MB.
const CHDB_MODULES: readonly string[] = ['chdb', 'chdb/connection'];

/**
 * Arguments of the engine; sizes of caches and memory are in bytes. The engine's own defaults let these caches grow to
 * 5 GiB each, or 100 MiB for conditions, and entries of parts that were merged away stay in them. They also keep 1,000 idle
 * threads after a burst, each with a stack and a cache of its allocator.
 */
const ENGINE_ARGUMENTS: readonly string[] = [
  `--mark_cache_size=${32 * 1024 ** 2}`,
  `--index_mark_cache_size=${8 * 1024 ** 2}`,
  `--primary_index_cache_size=${32 * 1024 ** 2}`,
  `--query_condition_cache_size=${8 * 1024 ** 2}`,
  `--compiled_expression_cache_size=${1024 ** 2}`,
  // Merges that need more memory than this wait for those under way.
  `--merges_mutations_memory_usage_soft_limit=${1024 ** 3}`,
  '--max_thread_pool_free_size=8',
  '--max_io_thread_pool_size=8',
  '--max_prefixes_deserialization_thread_pool_size=4',
  '--max_parts_cleaning_thread_pool_size=4',
  '--load_marks_threadpool_pool_size=4',
  '--prefetch_threadpool_pool_size=4',
  '--threadpool_local_fs_reader_pool_size=4',
];

/** Maximum size of a statement with the values of its parameters. The engine's own limit is 256 KiB. */
const MAX_STATEMENT_BYTES = 16 * 1024 ** 2;

/**
 * Settings of every statement. The engine would compile each kind of question at its third use after a start. That
 * takes about 250 ms of both cores and makes no answer faster. For the stack trace of its first error it would load the
 * symbols of all libraries, and keep them.
 */
const SETTINGS = [
  `max_query_size = ${MAX_STATEMENT_BYTES}`,
  'compile_expressions = 0',
  'compile_aggregate_expressions = 0',
  'compile_sort_description = 0',
  'calculate_text_stack_trace = 0',
].join(', ');

/**
 * Opens the embedded ClickHouse on a folder, which is created if it is missing. A process can have one at a time, and
 * a folder can be open in one process.
 *
 * @param settings of every statement, as `SET` takes them
 * @throws a one-line error that names the folder; nothing is open then
 */
export async function openEmbeddedConnection(folder: string, settings = SETTINGS): Promise<Connection> {
  const chdb = await loadChdb();
  guardExit();
  await mkdir(folder, { recursive: true });
  try {
    const connection = settingParameters(connect(chdb, folder));
    await set(connection, settings);
    return connection;
  } catch (error) {
    throw new Error(`the embedded ClickHouse cannot open ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Opens a connection. Only a session of the package passes arguments to the engine, and only the first session of a
 * folder does. The engine keeps them while any connection is open.
 */
function connect({ Session, createChdbConnection }: ChdbModule, path: string): Connection {
  const first = new Session(path, { connectionArgs: ENGINE_ARGUMENTS });
  try {
    return createChdbConnection({ path });
  } finally {
    first.close();
  }
}

async function set(connection: Connection, settings: string): Promise<void> {
  try {
    await connection.command({ query: `SET ${settings}` });
  } catch (error) {
    // An open connection would keep the folder locked, and this process from opening another one.
    await connection.close().catch(() => undefined);
    throw error;
  }
}

/** Runs statements with parameters. Several such connections run them in parallel. */
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
    const modules: object[] = await Promise.all(CHDB_MODULES.map((name) => import(name)));
    return Object.assign({}, ...modules) as ChdbModule;
  } catch (error) {
    throw new ConfigError(
      'no ClickHouse for analytics: set CLICKHOUSE_URL to a server, or install the embedded one with `npm install chdb` (Linux and macOS)',
      { cause: error },
    );
  }
}
