import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../jobs/background-work.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import type { RecordChange, RulesetOutbox } from './ruleset-outbox.js';

/** Hosts per transaction. Other changes wait for it: some 50 ms. */
const PAGE_SIZE = 1_000;
const ROUND_INTERVAL_MS = 5_000;
/** Users whose passes one round continues. */
const MAX_USERS = 100;
/** Maximum time that a round spends on one user while others wait. */
const SHARE_MS = 2_000;
/** Maximum time in which an answer waits for all hosts. The background continues after it. */
const ANSWER_LIMIT_MS = 10_000;

/** A value of a user that decides what data planes get for many hosts. The members are constant SQL; $1 is the id of the user. */
export interface PassedValue {
  /** Table with one row for each unfinished pass: `user_id`, the value before and after, and `published_to`. */
  readonly table: string;
  /** Names of its columns of the value before and after. */
  readonly before: string;
  readonly after: string;
  /** Expression of the stored value. */
  readonly stored: string;
  /** Condition of the redirects whose hosts depend on the value. An index of user and host must cover it. */
  readonly hosts: string;
}

export interface HostPassesDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly logger: Logger;
  /** Default: 1,000. */
  readonly pageSize?: number;
}

/**
 * Publishes changes of a value page by page, each page in its own transaction. The database stores the last host that is
 * served with the new value. Data planes therefore always get the right value, and a pass resumes after a crash.
 */
export interface HostPasses<Value> extends RoundWork {
  /** Begins to publish a change of the stored value, and publishes the first page. */
  begin(tx: Queryable, record: RecordChange, userId: string, before: Value): Promise<void>;
  /**
   * Publishes the remaining pages of a user, for up to 10 s. The change is committed, so this never rejects: the background
   * continues.
   */
  publish(userId: string): Promise<void>;
}

export function createHostPasses<Value>(value: PassedValue, deps: HostPassesDeps): HostPasses<Value> {
  const { table, before, after, stored } = value;
  const { database, outbox, logger, pageSize = PAGE_SIZE } = deps;
  const failure = `publishing hosts in pages (${table}) failed; trying again at the next round`;

  /** Resolves to whether pages remain. */
  async function publishPage(tx: Queryable, record: RecordChange, userId: string): Promise<boolean> {
    const [pass] = await tx.query<{ published_to: string }>(
      `SELECT published_to FROM ${table} WHERE user_id = $1 FOR UPDATE`,
      [userId],
    );
    if (pass === undefined) return false;
    // A redirect that changes at the same time commits before this lock and is found, or after it and gets the new value.
    await tx.query('SELECT FROM ruleset_head FOR UPDATE');
    const hosts = await nextHosts(tx, userId, pass.published_to);
    for (const host of hosts) record(host);
    const last = hosts.length < pageSize ? undefined : hosts.at(-1);
    return last === undefined ? endPass(tx, userId) : advance(tx, userId, last);
  }

  async function nextHosts(tx: Queryable, userId: string, publishedTo: string): Promise<string[]> {
    const rows = await tx.query<{ host: string }>(
      `SELECT from_domain AS host FROM redirects WHERE user_id = $1 AND from_domain > $2 AND ${value.hosts}
       ORDER BY from_domain LIMIT $3`,
      [userId, publishedTo, pageSize],
    );
    return rows.map(({ host }) => host);
  }

  async function advance(tx: Queryable, userId: string, publishedTo: string): Promise<true> {
    await tx.query(`UPDATE ${table} SET published_to = $2 WHERE user_id = $1`, [userId, publishedTo]);
    return true;
  }

  /** Ends a pass. If the value has changed meanwhile, the next pass begins. Resolves to whether it does. */
  async function endPass(tx: Queryable, userId: string): Promise<boolean> {
    const next = await tx.query(
      `UPDATE ${table} SET published_to = '', ${before} = ${after}, ${after} = ${stored}
       WHERE user_id = $1 AND ${after} IS DISTINCT FROM ${stored} RETURNING 1`,
      [userId],
    );
    if (next.length > 0) return true;
    await tx.query(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
    return false;
  }

  async function hasPass(userId: string): Promise<boolean> {
    return (await database.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).length > 0;
  }

  /** Pages that are being published, by user. */
  const publishing = new Map<string, Promise<boolean>>();

  /** Publishes a page. Callers for one user share it: each would hold a connection while it waits for the others. */
  function publishShared(userId: string): Promise<boolean> {
    const page =
      publishing.get(userId) ??
      outbox.commit((tx, record) => publishPage(tx, record, userId)).finally(() => publishing.delete(userId));
    publishing.set(userId, page);
    return page;
  }

  async function publishFor(userId: string, limitMs: number): Promise<void> {
    const untilMs = performance.now() + limitMs;
    while (!work.isStopping() && performance.now() < untilMs && (await hasPass(userId))) {
      await publishShared(userId);
    }
  }

  async function runRound(): Promise<void> {
    const users = await database.query<{ user_id: string }>(
      `SELECT user_id FROM ${table} ORDER BY random() LIMIT $1`,
      [MAX_USERS],
    );
    for (const { user_id } of users) if (!work.isStopping()) await publishFor(user_id, SHARE_MS);
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
    async begin(tx, record, userId, valueBefore) {
      // Locks the row of a pass that exists: its last page may be about to delete it. In that case a new row is inserted.
      await tx.query(
        `INSERT INTO ${table} (user_id, ${before}, ${after}) VALUES ($1, $2, ${stored})
         ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id`,
        [userId, valueBefore],
      );
      await publishPage(tx, record, userId);
    },
    async publish(userId) {
      try {
        await publishFor(userId, ANSWER_LIMIT_MS);
      } catch (error) {
        logger.warn({ err: error, user: userId }, failure);
      }
    },
  };
}
