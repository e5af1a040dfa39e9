import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import type { CheckResult } from './check-result.js';
import { redirectHealth } from './destination-links.js';

const INTERVAL_MS = 2_000;
/** Redirects per transaction. */
const BATCH = 200;
/** Maximum redirects that an event names. */
const MAX_NAMED = 20;

interface ChangedDestination {
  readonly id: number;
  readonly url: string;
  readonly told_until: readonly [string, string];
  readonly told_event: 'broken' | 'recovered' | null;
  readonly result: CheckResult;
  readonly failing_since: Date | null;
  readonly checked_at: Date;
}

interface UsingRedirect {
  readonly user_id: string;
  readonly redirect_id: string;
}

export interface StateNewsDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Notifies redirects and their owners of new states of destinations, some redirects at a time. Control planes share
 * the work.
 */
export function createStateNews({ database, logger }: StateNewsDeps): RoundWork {
  async function announce(tx: Queryable, userId: string, one: ChangedDestination): Promise<void> {
    const redirects = await tx.query(
      `SELECT redirects.id, from_domain AS "fromDomain" FROM redirect_destinations
       JOIN redirects ON redirects.id = redirect_id
       WHERE destination_id = $1 AND redirect_destinations.user_id = $2 ORDER BY redirect_id LIMIT $3`,
      [one.id, userId, MAX_NAMED],
    );
    const { statusCode, error } = one.result;
    await emit(tx, userId, one.told_event === 'broken' ? 'destination.broken' : 'destination.recovered', {
      url: one.url,
      statusCode,
      error,
      failingSince: one.failing_since?.toISOString() ?? null,
      checkedAt: one.checked_at.toISOString(),
      redirects,
    });
  }

  /** Notifies the next redirects of a destination. Resolves to false without one, or if the next one is locked. */
  async function tellSome(tx: Queryable): Promise<boolean> {
    const [one] = await tx.query<ChangedDestination>(
      `SELECT id, url, told_until, told_event, result, failing_since, checked_at FROM destinations
       WHERE told_until IS NOT NULL ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    );
    if (one === undefined) return false;
    const [lastUser, lastRedirect] = one.told_until;
    const next = await tx.query<UsingRedirect>(
      `SELECT user_id, redirect_id FROM redirect_destinations
       WHERE destination_id = $1 AND (user_id, redirect_id) > ($2, $3) ORDER BY user_id, redirect_id LIMIT $4`,
      [one.id, lastUser, lastRedirect, BATCH],
    );
    const ids = next.map(({ redirect_id }) => redirect_id);
    const locked = await redirectHealth.lock(tx, ids);
    const firstHeld = next.findIndex(({ redirect_id }) => !locked.has(redirect_id));
    const told = firstHeld === -1 ? next : next.slice(0, firstHeld);
    if (firstHeld === 0) return false;
    await redirectHealth.refresh(
      tx,
      told.map(({ redirect_id }) => redirect_id),
    );
    if (one.told_event !== null) {
      const users = new Set(told.map(({ user_id }) => user_id));
      users.delete(lastUser);
      for (const userId of users) await announce(tx, userId, one);
    }
    const last = told.at(-1);
    const isDone = firstHeld === -1 && next.length < BATCH;
    await tx.query('UPDATE destinations SET told_until = $2 WHERE id = $1', [
      one.id,
      isDone || last === undefined ? null : [last.user_id, last.redirect_id],
    ]);
    return true;
  }

  async function runRound(): Promise<void> {
    while (!work.isStopping() && (await database.transaction(tellSome)));
  }

  const failure = 'new states of destinations could not be told; trying again shortly';
  const work = createBackgroundWork({ intervalMs: INTERVAL_MS, runRound, logger, failure });
  return work;
}
