import type { Queryable } from '../storage/postgres/database.js';
import {
  createPagedPublishing,
  PAGE_SIZE,
  type PagedPublishing,
  type PagedPublishingDeps,
} from './paged-publishing.js';
import type { RecordChange } from './ruleset-outbox.js';

/** Hosts of a user that one of the user's settings concerns. The members are constant SQL; $1 is the id of the user. */
export interface PassedHosts {
  /** Table with one row for each unfinished pass: `user_id`, and the last published host as `published_to`. */
  readonly table: string;
  /** Condition of the redirects whose hosts depend on the setting. An index of user and host must cover it. */
  readonly hosts: string;
  /**
   * Present if hosts keep the former value until they are published. If absent, every read of a host returns the stored
   * value, and a change during a pass restarts the pass.
   */
  readonly value?: PassedValue;
}

export interface PassedValue {
  /** Columns of the table for the value before and after. */
  readonly before: string;
  readonly after: string;
  /** Expression of the stored value. */
  readonly stored: string;
}

/**
 * Publishes changes of a user's setting, host by host. The database stores the last published host, so a pass continues after
 * a crash.
 */
export interface HostPasses<Before extends readonly unknown[] = []> extends PagedPublishing {
  /**
   * Starts to publish a change of this transaction. Publishes its first page.
   *
   * @param before the value before the change, read under a lock that prevents other changes
   */
  begin(tx: Queryable, record: RecordChange, userId: string, ...before: Before): Promise<void>;
}

/** @param Before `[Value]` if `passed.value` is given */
export function createHostPasses<Before extends readonly unknown[] = []>(
  { table, hosts: condition, value }: PassedHosts,
  deps: PagedPublishingDeps,
): HostPasses<Before> {
  const { pageSize = PAGE_SIZE } = deps;

  async function publishPage(tx: Queryable, record: RecordChange, userId: string): Promise<void> {
    const [pass] = await tx.query<{ published_to: string }>(
      `SELECT published_to FROM ${table} WHERE user_id = $1 FOR UPDATE`,
      [userId],
    );
    if (pass === undefined) return;
    // A redirect that changes at the same time commits before this lock and is found, or after it and gets the new value.
    await tx.query('SELECT FROM ruleset_head FOR UPDATE');
    const hosts = await nextHosts(tx, userId, pass.published_to);
    for (const host of hosts) record(host);
    const last = hosts.length < pageSize ? undefined : hosts.at(-1);
    await (last === undefined ? endPass(tx, userId) : advance(tx, userId, last));
  }

  async function nextHosts(tx: Queryable, userId: string, publishedTo: string): Promise<string[]> {
    const rows = await tx.query<{ host: string }>(
      `SELECT from_domain AS host FROM redirects WHERE user_id = $1 AND from_domain > $2 AND ${condition}
       ORDER BY from_domain LIMIT $3`,
      [userId, publishedTo, pageSize],
    );
    return rows.map(({ host }) => host);
  }

  async function advance(tx: Queryable, userId: string, publishedTo: string): Promise<void> {
    await tx.query(`UPDATE ${table} SET published_to = $2 WHERE user_id = $1`, [userId, publishedTo]);
  }

  /** Ends a pass. Starts the next pass if the value has changed during this one. */
  async function endPass(tx: Queryable, userId: string): Promise<void> {
    if (value !== undefined) {
      const { before, after, stored } = value;
      const next = await tx.query(
        `UPDATE ${table} SET published_to = '', ${before} = ${after}, ${after} = ${stored}
         WHERE user_id = $1 AND ${after} IS DISTINCT FROM ${stored} RETURNING 1`,
        [userId],
      );
      if (next.length > 0) return;
    }
    await tx.query(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
  }

  // Both lock the row of a pass that exists: its last page may be about to delete it. In that case a new row is inserted.
  const beginSql =
    value === undefined
      ? `INSERT INTO ${table} (user_id) VALUES ($1) ON CONFLICT (user_id) DO UPDATE SET published_to = ''`
      : `INSERT INTO ${table} (user_id, ${value.before}, ${value.after}) VALUES ($1, $2, ${value.stored})
         ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id`;

  return {
    ...createPagedPublishing({ table, key: 'user_id', publishPage }, deps),
    async begin(tx, record, userId, ...before) {
      await tx.query(beginSql, [userId, ...before]);
      await publishPage(tx, record, userId);
    },
  };
}
