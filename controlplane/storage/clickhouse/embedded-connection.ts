import { mkdir } from 'node:fs/promises';
import { type createClient, TupleParam } from '@clickhouse/client';
import { ConfigError } from '../../../shared/config/environment.js';
import { messageOf } from '../../../shared/process/error-facts.js';
import { literal } from './query-settings.js';

type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** The parts of `chdb` and `chdb/connection` that we use. Their own types are there only when the package is. */
interface ChdbModule {
  readonly Session: new (path: string, options: { connectionArgs: readonly string[] }) => { close(): void };
  createChdbConnection(options: { path: string }): Connection;
}

// Not literals in `import()`: the project then builds and runs without this optional package of 540 MB.
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
 * Opens the embedded ClickHouse on a folder, which is created if it is missing. A process can have one open at a time.
 * A folder can be open in only one process.
 *
 * @param settings settings of every statement, in the form of `SET`
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

/** Values of parameters that the client accepts. */
type ClientParams = Readonly<Record<string, unknown>>;

const PLACEHOLDER = /\{(\w+):/g;

/**
 * Returns a statement that sets the values of its parameters first, on the same connection. The client of the embedded
 * engine can bind them, too, but then it runs only one statement with parameters at a time over all connections.
 *
 * @throws when a parameter has no value, because the connection would use the value of an earlier statement
 */
function withParameters(sql: string, params: ClientParams = {}): string {
  for (const [, name = ''] of sql.matchAll(PLACEHOLDER)) {
    if (params[name] === undefined) throw new Error(`the parameter ${name} has no value`);
  }
  const values = Object.entries(params).map(([name, value]) => `param_${name} = ${setting(value)}`);
  return values.length === 0 ? sql : `SET ${values.join(', ')}; ${sql}`;
}

/** Quotes a value for two readings: as SQL, then a text as TabSeparated and a list as SQL again. */
function setting(value: unknown): string {
  return literal(typeof value === 'string' ? tabSeparated(value) : inSql(value));
}

function inSql(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inSql).join(', ')}]`;
  if (value instanceof TupleParam) return `(${value.values.map(inSql).join(', ')})`;
  return typeof value === 'string' ? literal(value) : String(value);
}

/** https://clickhouse.com/docs/interfaces/formats/TabSeparated */
function tabSeparated(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\0', '\\0');
}

/** Statements that run in the embedded engine, over all connections: a process has one engine. */
let running = 0;
let isGuarded = false;

/**
 * Makes `process.exit` during a statement end this process by SIGKILL. Otherwise the exit handlers of C++ destroy the
 * engine under its threads, and the process crashes (SIGSEGV, SIGABRT) or waits for the statement, which may never
 * end. At that point nothing can be awaited, and only a signal ends a Node process without these handlers. All
 * acknowledged data survives. Close the store first where waiting is possible.
 */
function guardExit(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.on('exit', () => {
    if (running > 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** Runs a statement and counts it as running. */
async function duringStatement<Result>(statement: () => Promise<Result>): Promise<Result> {
  running += 1;
  try {
    return await statement();
  } finally {
    running -= 1;
  }
}
