import { pino } from 'pino';
import { openPostgresServer } from '../../controlplane/storage/postgres/postgres-server.js';

/**
 * Returns the commit times of a host's changes, in order, as Unix times in milliseconds with fractions. PostgreSQL
 * records them (`track_commit_timestamp`) just before a transaction becomes visible.
 *
 * @returns undefined where the server was not told to note them
 */
export async function readCommitTimes(
  databaseUrl: string,
  host: string,
): Promise<readonly number[] | undefined> {
  const database = openPostgresServer(databaseUrl, pino({ level: 'silent' }));
  try {
    const [setting] = await database.query<{ track_commit_timestamp: string }>('SHOW track_commit_timestamp');
    if (setting?.track_commit_timestamp !== 'on') return undefined;
    const rows = await database.query<{ at_ms: number }>(
      `SELECT (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::double precision AS at_ms
       FROM ruleset_changes WHERE host = $1 ORDER BY epoch, seq`,
      [host],
    );
    return rows.map(({ at_ms }) => at_ms);
  } finally {
    await database.close();
  }
}
