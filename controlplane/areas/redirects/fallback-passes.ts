import type { Logger } from 'pino';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { RecordChange, RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';

/** Hosts per transaction. Other changes wait for it: some 50 ms. */
const PAGE_SIZE = 1_000;
const ROUND_INTERVAL_MS = 5_000;
/** Users whose passes one round continues. */
const MAX_USERS = 100;
/** Maximum time that a round spends on one user while others wait. */
const SHARE_MS = 2_000;

export interface FallbackPassesDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly logger: Logger;
  /** Default: 1,000. */
  readonly pageSize?: number;
}

/**
 * Publishes changes of fallbacks page by page, each page in its own transaction. The database stores the last host that is
 * served with the new fallback. Data planes therefore always get the right URL, and a pass resumes after a crash.
 */
export interface FallbackPasses extends BackgroundWork {
  /** Begins to publish a change of the stored fallback, and publishes the first page. */
  begin(tx: Queryable, record: RecordChange, userId: string, urlBefore: string | null): Promise<void>;
  /** Publishes the remaining pages of a user, at most until this time of `performance.now()`. */
  publish(userId: string, untilMs: number): Promise<void>;
  /** Continues unfinished passes. */
  runRound(): Promise<void>;
}

export function createFallbackPasses(deps: FallbackPassesDeps): FallbackPasses {
  const { database, outbox, logger, pageSize = PAGE_SIZE } = deps;
  let isStopping = false;

  /** Resolves to whether pages remain. */
  async function publishPage(tx: Queryable, record: RecordChange, userId: string): Promise<boolean> {
    const [pass] = await tx.query<{ published_to: string }>(
      'SELECT published_to FROM fallback_passes WHERE user_id = $1 FOR UPDATE',
      [userId],
    );
    if (pass === undefined) return false;
    // A redirect that is disabled at the same time commits before this lock and is found, or after it and gets the new fallback.
    await tx.query('SELECT FROM ruleset_head FOR UPDATE');
    const hosts = await disabledHosts(tx, userId, pass.published_to, pageSize);
    for (const host of hosts) record(host);
    const last = hosts.length < pageSize ? undefined : hosts.at(-1);
    return last === undefined ? endPass(tx, userId) : advance(tx, userId, last);
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

  async function publish(userId: string, untilMs: number): Promise<void> {
    while (!isStopping && performance.now() < untilMs && (await hasPass(database, userId))) {
      await publishShared(userId);
    }
  }

  async function runRound(): Promise<void> {
    for (const userId of await usersWithPasses(database)) {
      if (!isStopping) await publish(userId, performance.now() + SHARE_MS);
    }
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'publishing a changed fallback failed; trying again at the next round',
    beginsAtOnce: true,
  });
  return {
    ...work,
    async begin(tx, record, userId, urlBefore) {
      // Locks the row of a pass that exists: its last page may be about to delete it. In that case a new row is inserted.
      await tx.query(
        `INSERT INTO fallback_passes (user_id, url_before, url_after)
         VALUES ($1, $2, (SELECT url FROM user_fallbacks WHERE user_id = $1))
         ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id`,
        [userId, urlBefore],
      );
      await publishPage(tx, record, userId);
    },
    publish,
    runRound,
    stop() {
      isStopping = true;
      return work.stop();
    },
  };
}

async function hasPass(source: Queryable, userId: string): Promise<boolean> {
  const rows = await source.query('SELECT FROM fallback_passes WHERE user_id = $1', [userId]);
  return rows.length > 0;
}

async function usersWithPasses(source: Queryable): Promise<string[]> {
  const rows = await source.query<{ user_id: string }>(
    'SELECT user_id FROM fallback_passes ORDER BY random() LIMIT $1',
    [MAX_USERS],
  );
  return rows.map(({ user_id }) => user_id);
}

async function disabledHosts(tx: Queryable, userId: string, after: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ host: string }>(
    `SELECT from_domain AS host FROM redirects
     WHERE user_id = $1 AND from_domain > $2 AND NOT enabled AND verified_at IS NOT NULL AND deleted_at IS NULL
     ORDER BY from_domain LIMIT $3`,
    [userId, after, limit],
  );
  return rows.map(({ host }) => host);
}

async function advance(tx: Queryable, userId: string, publishedTo: string): Promise<true> {
  await tx.query('UPDATE fallback_passes SET published_to = $2 WHERE user_id = $1', [userId, publishedTo]);
  return true;
}

/** Ends a pass. If the fallback has changed meanwhile, the next pass begins. Resolves to whether it does. */
async function endPass(tx: Queryable, userId: string): Promise<boolean> {
  const next = await tx.query(
    `UPDATE fallback_passes SET published_to = '', url_before = url_after,
       url_after = (SELECT url FROM user_fallbacks WHERE user_id = $1)
     WHERE user_id = $1 AND url_after IS DISTINCT FROM (SELECT url FROM user_fallbacks WHERE user_id = $1) RETURNING 1`,
    [userId],
  );
  if (next.length > 0) return true;
  await tx.query('DELETE FROM fallback_passes WHERE user_id = $1', [userId]);
  return false;
}
