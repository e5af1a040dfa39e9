import pg from 'pg';
import type { Logger } from 'pino';
import type { Database, Queryable } from './database.js';
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

function queryable(client: pg.Pool | pg.PoolClient): Queryable {
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      try {
        return (await client.query<Row & pg.QueryResultRow>(sql, [...params])).rows;
      } catch (error) {
        throw asDatabaseError(error);
      }
    },
  };
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
      const tx = queryable(client);
      let broken: Error | undefined;
      try {
        await tx.query(`BEGIN ISOLATION LEVEL ${options?.isolation ?? 'read committed'}`);
        const result = await work(tx);
        await tx.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((rollbackError: Error) => {
          broken = rollbackError;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async script(sql) {
      await pool.query(sql);
    },
    async ping() {
      await pool.query('SELECT 1');
    },
    close: () => pool.end(),
  };
}
