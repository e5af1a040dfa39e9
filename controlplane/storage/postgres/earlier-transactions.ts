import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.js';

const FIRST_PAUSE_MS = 10;
/** Many callers may wait for one long transaction. */
const LONGEST_PAUSE_MS = 250;

/**
 * Waits for all transactions of control planes that began before this call. Resolves to true when they have ended, or
 * to false after `limitMs`. Transactions that begin afterwards see everything that was committed before the call.
 * `CREATE INDEX CONCURRENTLY` waits in the same way.
 */
export async function endOfEarlierTransactions(database: Database, limitMs: number): Promise<boolean> {
  // The embedded database runs one transaction at a time.
  if (database.kind === 'embedded') return true;
  const untilMs = performance.now() + limitMs;
  const begun = await database.query<{ id: string }>(
    `SELECT virtualtransaction AS id FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'virtualxid' AND granted AND datname = current_database() AND pid <> pg_backend_pid()
       AND application_name = current_setting('application_name')`,
  );
  let ids = begun.map(({ id }) => id);
  for (let pauseMs = FIRST_PAUSE_MS; ids.length > 0; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    if (performance.now() >= untilMs) return false;
    await delay(pauseMs);
    const running = await database.query<{ id: string }>(
      `SELECT virtualtransaction AS id FROM pg_locks WHERE locktype = 'virtualxid' AND virtualtransaction = ANY ($1::text[])`,
      [ids],
    );
    ids = running.map(({ id }) => id);
  }
  return true;
}
