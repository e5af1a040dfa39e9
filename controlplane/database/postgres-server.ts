import pg from 'pg';
import type { Logger } from 'pino';
import type { Connection, Database, Queryable, TransactionOptions } from './database.js';
import { asDatabaseError } from './database-unavailable.js';

const STATEMENT_TIMEOUT_MS = 15_000;
/** When the server itself says nothing any more, because it stands still or its host is gone. */
const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 3_000;
const CONNECTION_TIMEOUT_MS = 5_000;
const POOL_SIZE = 10;

/** bigint as a number: every bigint of ours (counters, ids) stays far below 2^53. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

function queryable(client: pg.Pool | pg.ClientBase, keepsPlans = false): Queryable {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      const name = keepsPlans && params.length > 0 ? planName(sql) : undefined;
      try {
        return (
          await client.query<Row & pg.QueryResultRow>({
            text: sql,
            values: [...params],
            ...(name && { name }),
          })
        ).rows;
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
  };
}

const planNames = new Map<string, string>();

/** The name of the prepared statement for `sql`. Statements are constants of the program, so there are few. */
function planName(sql: string): string {
  const known = planNames.get(sql);
  if (known !== undefined) return known;
  const name = `plan_${planNames.size}`;
  planNames.set(sql, name);
  return name;
}

interface RunOptions extends TransactionOptions {
  /** Called when the connection can no longer be used. */
  readonly onBroken?: (error: Error) => void;
}

async function inTransaction<T>(
  client: pg.ClientBase,
  work: (tx: Queryable) => Promise<T>,
  { isolation = 'read committed', keepsPlans, onBroken }: RunOptions = {},
): Promise<T> {
  const tx = queryable(client, keepsPlans);
  try {
    await tx.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => onBroken?.(rollbackError));
    throw error;
  }
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
    return await work({ ...queryable(client), transaction: (inner) => inTransaction(client, inner) });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Opens a pool of connections to a PostgreSQL server. Connections are made when first needed. */
export function openPostgresServer(url: string, logger: Logger): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'waymark',
    types: typeParsers,
  });
  // One that breaks while a transaction holds it fails its next statement; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  // An idle connection that breaks (server restart) is reported here; the pool replaces it by itself.
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle PostgreSQL connection broke'));

  return {
    kind: 'server',
    ...queryable(pool),
    async transaction(work, options) {
      const client = await pool.connect().catch((error: unknown) => {
        throw asDatabaseError(error);
      });
      let broken: Error | undefined;
      try {
        return await inTransaction(client, work, {
          ...options,
          onBroken: (error) => {
            broken = error;
          },
        });
      } finally {
        client.release(broken);
      }
    },
    session: (work) => inSession(url, work),
    async script(sql) {
      await pool.query(sql);
    },
    async ping() {
      await pool.query('SELECT 1');
    },
    close: () => pool.end(),
  };
}
