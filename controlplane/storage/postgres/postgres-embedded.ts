import path from 'node:path';
import type { Transaction } from '@electric-sql/pglite';
import type { Logger } from 'pino';
import { createTurnWatch, type TurnWatch } from '../../../shared/async/in-turns.js';
import type { Database, Queryable } from './database.js';
import { type ClusterOptions, openCluster } from './embedded-cluster.js';
import { KEEPING_PLAN } from './embedded-plans.js';
import { createEmbeddedCheckpoints, createEmbeddedVacuum } from './embedded-upkeep.js';
import { openRevivingCluster, type RevivingCluster } from './reviving-cluster.js';

/**
 * PGlite executes statements in this thread. Without a pause, consecutive statements would block all other work.
 *
 * @param turns shared by all queryables of a cluster
 */
function queryable(client: RevivingCluster | Transaction, turns: TurnWatch, keepsPlans = false): Queryable {
  const options = keepsPlans ? KEEPING_PLAN : undefined;
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      turns.begin();
      const { rows } = await client.query<Row>(sql, [...params], options);
      await turns.pause();
      return rows;
    },
  };
}

/** The folder of the embedded database. */
export function embeddedFolder(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}

/**
 * Opens PostgreSQL compiled to WebAssembly (PGlite) in `<dataDir>/postgres`. It has one connection: statements queue.
 * The folder must not be open in another process.
 *
 * @throws {ConfigError} as `openCluster` does
 */
export async function openPostgresEmbedded(
  dataDir: string,
  options: ClusterOptions,
  logger: Logger,
): Promise<Database> {
  const folder = embeddedFolder(dataDir);
  let next = options;
  const open = () => openCluster(folder, next, logger);
  const client = await openRevivingCluster({ folder, open, logger });
  // The database exists now, so later opens must not create an empty one.
  next = { ...options, whenUnusable: 'refuse' };
  const turns = createTurnWatch();
  const upkeep = { database: queryable(client, turns), folder, logger };
  const jobs = [createEmbeddedCheckpoints(upkeep), createEmbeddedVacuum(upkeep)];
  for (const job of jobs) job.start();
  let lastSession: Promise<unknown> = Promise.resolve();

  const transaction: Database['transaction'] = (work, options) =>
    client.transaction(async (tx) => {
      if (options?.isolation !== undefined) {
        await tx.exec(`SET TRANSACTION ISOLATION LEVEL ${options.isolation}`);
      }
      return work(queryable(tx, turns, options?.keepsPlans));
    });

  return {
    kind: 'embedded',
    ...queryable(client, turns),
    transaction,
    session(work) {
      const session = lastSession.then(() => work({ ...queryable(client, turns), transaction }));
      lastSession = session.catch(() => undefined);
      return session;
    },
    async script(sql) {
      await client.exec(sql);
    },
    async ping() {
      await client.query('SELECT 1');
    },
    async close() {
      await Promise.all(jobs.map((job) => job.stop()));
      await client.close();
    },
  };
}
