import type { Logger } from 'pino';
import type { Database } from './database.js';

/** Rows that must be new before statistics are worth their time. */
const MIN_NEW_ROWS = 500;

/**
 * Refreshes the statistics of tables that have doubled since they were last analyzed. Until then, PostgreSQL uses plans
 * for a small table, which read the whole table. Autovacuum checks only once a minute, and the embedded database has no
 * autovacuum.
 */
export interface TableStatistics {
  /** Notes rows that were committed. Never rejects. */
  noteNewRows(count: number): Promise<void>;
}

/** @param tables names; the first one decides */
export function createTableStatistics(
  database: Database,
  tables: readonly [string, ...string[]],
  logger: Logger,
): TableStatistics {
  let newRows = 0;
  /** New rows after which the size of the table is looked up. */
  let enough = MIN_NEW_ROWS;
  let isRefreshing = false;

  async function refresh(): Promise<void> {
    const [row] = await database.query<{ known: number }>(
      'SELECT reltuples::float8 AS known FROM pg_class WHERE oid = to_regclass($1)',
      [tables[0]],
    );
    enough = Math.max(MIN_NEW_ROWS, row?.known ?? 0);
    if (newRows < enough) return;
    newRows = 0;
    enough = MIN_NEW_ROWS;
    // A table that somebody else analyzes or changes at the moment is left out.
    await database.query(`ANALYZE (SKIP_LOCKED) ${tables.join(', ')}`);
  }

  return {
    async noteNewRows(count) {
      newRows += count;
      if (newRows < enough || isRefreshing) return;
      isRefreshing = true;
      try {
        await refresh();
      } catch (error) {
        logger.debug({ err: error, tables }, 'statistics of tables could not be refreshed');
      } finally {
        isRefreshing = false;
      }
    },
  };
}
