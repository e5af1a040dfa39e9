import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../jobs/background-work.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import type { RecordChange, RulesetOutbox } from './ruleset-outbox.js';

/** Hosts per transaction. Other changes wait for it: some 50 ms. */
export const PAGE_SIZE = 1_000;
const ROUND_INTERVAL_MS = 5_000;
/** Keys whose pages one round publishes. */
const MAX_KEYS = 100;
/** Maximum time that a round spends on one key while others wait. */
const SHARE_MS = 2_000;
/** Maximum time in which an answer waits for all hosts. The background continues after it. */
const ANSWER_LIMIT_MS = 10_000;

/** Changes that concern many hosts, and whose remaining hosts are stored in a table. The names are constant SQL. */
export interface Paged {
  /** Table with rows for each change whose pages are not all published. */
  readonly table: string;
  /** Column that identifies the change of a row. */
  readonly key: string;
  /** Publishes the next page of a change, and deletes the row of the last one. */
  publishPage(tx: Queryable, record: RecordChange, key: string): Promise<void>;
}

export interface PagedPublishingDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly logger: Logger;
  /** Default: 1,000. */
  readonly pageSize?: number;
}

/** Publishes pages of hosts, each in its own transaction. After a crash, the background continues. */
export interface PagedPublishing extends RoundWork {
  /**
   * Publishes the remaining pages of a change, for up to 10 s. The change is committed, so this never rejects: the background
   * continues.
   */
  publish(key: string): Promise<void>;
}

export function createPagedPublishing(
  { table, key: column, publishPage }: Paged,
  { database, outbox, logger }: PagedPublishingDeps,
): PagedPublishing {
  const failure = `publishing hosts in pages (${table}) failed; trying again at the next round`;

  /** Pages that are being published, by key. */
  const publishing = new Map<string, Promise<void>>();

  /**
   * Publishes a page. Concurrent callers of one key share the page. Otherwise each would hold a connection while it
   * waits for the others.
   */
  function publishShared(key: string): Promise<void> {
    const page =
      publishing.get(key) ??
      outbox.commit((tx, record) => publishPage(tx, record, key)).finally(() => publishing.delete(key));
    publishing.set(key, page);
    return page;
  }

  async function hasPages(key: string): Promise<boolean> {
    return (await database.query(`SELECT FROM ${table} WHERE ${column} = $1 LIMIT 1`, [key])).length > 0;
  }

  async function publishFor(key: string, limitMs: number): Promise<void> {
    const untilMs = performance.now() + limitMs;
    while (!work.isStopping() && performance.now() < untilMs && (await hasPages(key))) {
      await publishShared(key);
    }
  }

  async function runRound(): Promise<void> {
    const rows = await database.query<{ key: string }>(
      `SELECT key FROM (SELECT DISTINCT ${column} AS key FROM ${table}) AS keys ORDER BY random() LIMIT $1`,
      [MAX_KEYS],
    );
    for (const { key } of rows) if (!work.isStopping()) await publishFor(key, SHARE_MS);
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure,
    beginsAtOnce: true,
  });
  return {
    ...work,
    async publish(key) {
      try {
        await publishFor(key, ANSWER_LIMIT_MS);
      } catch (error) {
        logger.warn({ err: error, [column]: key }, failure);
      }
    },
  };
}
