import pg from 'pg';
import type { Logger } from 'pino';
import { settledInTurns } from '../../../shared/async/deadline.js';
import type { Connection, Database, Queryable, TransactionOptions } from './database.js';
import { asDatabaseError, DatabaseReadOnlyError, DatabaseUnavailableError } from './database-unavailable.js';
import { createHangWatch } from './hang-watch.js';
import { beginPipelined } from './pipelined-transaction.js';

const STATEMENT_TIMEOUT_MS = 15_000;
/** Timeout for a server that is silent because it hangs or its host is gone. */
const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 3_000;
const CONNECTION_TIMEOUT_MS = 5_000;
/**
 * Number of 100 ms intervals that a caller waits for a new connection. The attempt continues for later callers. The API
 * must answer within 2 s.
 */
const NEW_CONNECTION_TURNS = 15;
const POOL_SIZE = 10;

/**
 * Keeps PostgreSQL from compiling statements to machine code (JIT). All statements of this product are short. Without
 * table statistics, for example after a restore, its cost estimates are too high. It then compiled statements for
 * seconds that read only one row.
 */
const NO_COMPILATION = 'SET jit = off';

/** bigint as a number: every bigint of ours (counters, ids) stays far below 2^53. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

function queryable(client: pg.ClientBase): Queryable {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      try {
        return (await client.query<Row & pg.QueryResultRow>({ text: sql, values: [...params] })).rows;
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
  };
}

interface RunOptions extends TransactionOptions {
  /** Called when the connection can no longer be used. */
  readonly onBroken?: (error: Error) => void;
}

/**
 * Runs `work` in a transaction. BEGIN is sent with the first statement. COMMIT is sent with the last statements if no
 * caller awaits their rows.
 */
async function inTransaction<T>(
  client: pg.ClientBase,
  work: (tx: Queryable) => Promise<T>,
  { isolation = 'read committed', keepsPlans = false, onBroken }: RunOptions = {},
): Promise<T> {
  const tx = beginPipelined(client, { isolation, keepsPlans, types: typeParsers });
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    tx.end();
    if (tx.isLost) onBroken?.(error as Error);
    else if (tx.hasBegun) {
      await client.query('ROLLBACK').catch((rollbackError: Error) => onBroken?.(rollbackError));
    }
    throw error;
  }
}

/** Runs `work` in a transaction whose statements may be scripts, one after the other. */
async function inPlainTransaction<T>(client: pg.ClientBase, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const tx = queryable(client);
  try {
    await tx.query('BEGIN');
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Resolves to the result of `work` without waiting for the end of `run`. */
function withoutEnd<T>(
  work: (tx: Queryable) => Promise<T>,
  run: (work: (tx: Queryable) => Promise<void>) => Promise<void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    run(async (tx) => resolve(await work(tx))).catch(reject);
  });
}

async function inSession<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'waymark migration',
    types: typeParsers,
  });
  // A broken connection fails the next statement. Without a listener the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect().catch((error: unknown) => {
      throw asDatabaseError(error);
    });
    // A role or a database can have limits.
    await client.query('SET statement_timeout = 0');
    await client.query('SET idle_in_transaction_session_timeout = 0');
    return await work({ ...queryable(client), transaction: (inner) => inPlainTransaction(client, inner) });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws DatabaseUnavailableError when there is no connection in time */
type TakeClient = () => Promise<pg.PoolClient>;

/** Calls `onBroken` when the connection can no longer be used. */
type ClientWork<T> = (client: pg.PoolClient, onBroken: (error: Error) => void) => Promise<T>;

/** Runs `work` on a connection of the pool, unless the signal was aborted before there was one. */
async function onClient<T>(take: TakeClient, signal: AbortSignal, work: ClientWork<T>): Promise<T> {
  const client = await take();
  let broken: Error | undefined;
  try {
    signal.throwIfAborted();
    return await work(client, (error) => {
      broken = error;
    });
  } finally {
    client.release(broken);
  }
}

/**
 * Bounds the wait for new connections. With enough open connections, callers wait for one of them. But a server may
 * answer on open connections and accept no new ones.
 */
function boundedTake(pool: pg.Pool): TakeClient {
  const established = new Set<pg.ClientBase>();
  let accepted = 0;
  pool.on('connect', (client) => {
    established.add(client);
    accepted += 1;
  });
  pool.on('remove', (client) => established.delete(client));
  return async () => {
    const before = accepted;
    const taken = pool.connect().catch((error: unknown) => {
      throw asDatabaseError(error);
    });
    const isTaken = await settledInTurns(NEW_CONNECTION_TURNS, taken);
    const isConnecting = pool.totalCount > established.size;
    // The first connection of all has more time: the server may be starting.
    if (isTaken || !isConnecting || accepted === 0 || accepted > before) return taken;
    taken.then(
      (client) => client.release(),
      () => undefined,
    );
    throw new DatabaseUnavailableError(new Error('PostgreSQL accepts no further connection'));
  };
}

/**
 * Opens a pool of connections to a PostgreSQL server. Connections are made when first needed. If the server accepts
 * connections but does not answer, statements fail within 1.5 s, and later ones immediately until it answers again.
 * Sessions are an exception.
 */
export function openPostgresServer(url: string, logger: Logger): Database {
  const common = {
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'waymark',
  };
  const watch = createHangWatch(common);
  const pool = new pg.Pool({
    ...common,
    max: POOL_SIZE,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    types: typeParsers,
    stream: watch.newSocket,
    onConnect: (client) => client.query(NO_COMPILATION),
  });
  // A connection that breaks during a transaction fails its next statement. Without a listener, the event would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}));
  // The pool reports an idle connection that broke (server restart) here, and replaces it automatically.
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle PostgreSQL connection broke'));

  const take = boundedTake(pool);
  const onWatched = <T>(work: ClientWork<T>) => watch.during((signal) => onClient(take, signal, work));
  const statement = <T>(run: (client: pg.PoolClient) => Promise<T>) =>
    onWatched(async (client, onBroken) => {
      try {
        return await run(client);
      } catch (error) {
        // It may be that the server is still at work on the statement.
        onBroken(error as Error);
        throw error;
      }
    });

  return {
    kind: 'server',
    query: (sql, params) => statement((client) => queryable(client).query(sql, params)),
    transaction(work, options) {
      const run = <T>(inner: (tx: Queryable) => Promise<T>) =>
        onWatched((client, onBroken) => inTransaction(client, inner, { ...options, onBroken }));
      return options?.onlyReads ? withoutEnd(work, run) : run(work);
    },
    session: (work) => inSession(url, work),
    async script(sql) {
      await statement((client) => client.query(sql));
    },
    async ping() {
      const { rows } = await statement((client) =>
        client.query<{ isReadOnly: boolean }>(
          `SELECT current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
        ),
      );
      if (rows[0]?.isReadOnly) throw new DatabaseReadOnlyError(new Error('transaction_read_only is on'));
    },
    async close() {
      await Promise.all([watch.close(), pool.end()]);
    },
  };
}
