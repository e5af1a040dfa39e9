import type { Queryable } from './database.js';

/**
 * Returns a function that counts the transactions that wait for `tx`, or for one that waits for it. Tests that run at the same time
 * share the server. Their migrations wait for every transaction (`virtualxid`), and do not count.
 */
export async function createBlockedCount(tx: Queryable, database: Queryable): Promise<() => Promise<number>> {
  const [own] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return async () => {
    const blocked = await database.query(
      `WITH RECURSIVE blocked (pid) AS (SELECT $1::integer UNION SELECT activity.pid
         FROM blocked JOIN pg_stat_activity AS activity ON blocked.pid = ANY (pg_blocking_pids(activity.pid))
         WHERE activity.wait_event <> 'virtualxid')
       SELECT pid FROM blocked WHERE pid <> $1::integer`,
      [own?.pid],
    );
    return blocked.length;
  };
}
