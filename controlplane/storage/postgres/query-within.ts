import { codeOf } from '../../../shared/process/error-facts.js';
import type { Database } from './database.js';

/** PostgreSQL's code of a statement that was canceled, also by a timeout. */
const CANCELED = '57014';

/**
 * Runs a statement that may take too long, and returns its rows; undefined if it was canceled after `timeoutMs`. The embedded
 * database knows no timeouts.
 */
export async function queryWithin<Row extends object>(
  database: Database,
  timeoutMs: number,
  sql: string,
  params: readonly unknown[],
): Promise<Row[] | undefined> {
  if (database.kind === 'embedded') return database.query<Row>(sql, params);
  try {
    return await database.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
      return tx.query<Row>(sql, params);
    });
  } catch (error) {
    if (error instanceof Error && codeOf(error) === CANCELED) return undefined;
    throw error;
  }
}
