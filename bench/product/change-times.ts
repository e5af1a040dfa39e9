import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openPostgresServer } from '../../controlplane/storage/postgres/postgres-server.js';
import { percentile } from '../measure/statistics.js';
import { addRedirect, callApi, type Product } from './product.js';
import { createVisitor } from './visitor.js';

const WARM_UP_CHANGES = 10;
/** Maximum pause between changes. Its length varies at random. */
const LONGEST_PAUSE_MS = 30;

/** The parts of a product that changes are made and seen with. */
export type ChangedProduct = Pick<Product, 'apiAddress' | 'token' | 'redirectPort'>;

/** Unix times in milliseconds. */
interface ChangeTimes {
  /** Start of the transaction. */
  readonly startedAtMs: number;
  /** The first answer by it. */
  readonly seenAtMs: number;
}

/**
 * Creates a redirect for a new host and changes it repeatedly while one visitor requests the host continuously.
 *
 * @param databaseUrl URL of the PostgreSQL server with the redirects, if there is one
 * @returns the milliseconds from each change to the first answer that shows it; `fromCommitMs` is undefined if the
 * database does not record commit times
 */
export async function timeChanges(
  product: ChangedProduct,
  host: string,
  changes: number,
  databaseUrl: string | undefined,
) {
  const times = await changeOneByOne(product, host, changes + WARM_UP_CHANGES);
  const committedAtMs = databaseUrl && (await commitTimes(databaseUrl, host, times.length));
  const startedAtMs = times.map((time) => time.startedAtMs);
  return {
    // Measures from the start of the transaction.
    fromStartMs: latencies(times, startedAtMs),
    fromCommitMs: committedAtMs ? latencies(times, committedAtMs) : undefined,
  };
}

/** The latency that `share` of them do not exceed. */
export function latenciesAt(latenciesMs: readonly number[], share: number): number {
  return percentile(latenciesMs, share) ?? Number.NaN;
}

async function changeOneByOne(
  product: ChangedProduct,
  host: string,
  changes: number,
): Promise<ChangeTimes[]> {
  const destination = (change: number) => `https://destination-${change}.example/welcome`;
  // Sampling is off: storing this visitor's hits would compete with the measured work for the core.
  const { id } = await addRedirect(product, { fromDomain: host, toDomain: destination(0), samplingRate: 0 });
  const visitor = createVisitor(product, host);
  const times: ChangeTimes[] = [];
  try {
    await visitor.untilServed(destination(0));
    for (let change = 1; change <= changes; change += 1) {
      await delay(Math.random() * LONGEST_PAUSE_MS);
      const body = { toDomain: destination(change) };
      const changing = callApi<{ updatedAt: string }>(product, 'PUT', `/update/${id}`, body);
      const [{ updatedAt }, seenAtMs] = await Promise.all([
        changing,
        visitor.untilChanged(destination(change - 1), destination(change)),
      ]);
      times.push({ startedAtMs: Date.parse(updatedAt), seenAtMs });
    }
    return times;
  } finally {
    visitor.leave();
  }
}

/** The first commit made the host, each further one was a change. */
async function commitTimes(
  databaseUrl: string,
  host: string,
  changes: number,
): Promise<readonly number[] | undefined> {
  const times = await readCommitTimes(databaseUrl, host);
  if (times !== undefined && times.length !== changes + 1) {
    throw new Error(`${times.length} commits of ${changes} changes`);
  }
  return times?.slice(1);
}

function latencies(times: readonly ChangeTimes[], sinceMs: readonly number[]): number[] {
  return times
    .map(({ seenAtMs }, change) => seenAtMs - (sinceMs[change] ?? Number.NaN))
    .slice(WARM_UP_CHANGES);
}

/**
 * Returns the commit times of a host's changes, in order, as Unix times in milliseconds with fractions. PostgreSQL
 * records them (`track_commit_timestamp`) just before a transaction becomes visible.
 *
 * @returns undefined if the server does not record commit times
 */
async function readCommitTimes(databaseUrl: string, host: string): Promise<readonly number[] | undefined> {
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
