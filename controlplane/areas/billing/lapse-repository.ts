import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { BY_WEIGHT, RUNNING } from './subscription-repository.js';

/** A subscription whose access ended or returned, which is not yet published to data planes. */
export interface Lapse {
  readonly id: string;
  readonly userId: string;
}

export interface LapseLimits {
  /** Current payment provider. */
  readonly provider: string;
  readonly now: Date;
  readonly limit: number;
}

/** All SQL about subscriptions whose access ended by time, without an event. */
export const lapseRepository = {
  /**
   * Takes subscriptions whose access ended by time and was not announced yet. They stay locked until the transaction
   * ends.
   */
  async takeLapsed(tx: Queryable, { provider, now, limit }: LapseLimits): Promise<Lapse[]> {
    const rows = await tx.query<Lapse>(
      `UPDATE subscriptions SET lapsed = true
       WHERE id IN (SELECT id FROM subscriptions WHERE NOT lapsed AND access_until <= $1 AND provider = $2
                      AND state IN ('canceled', 'past_due')
                    ORDER BY access_until LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING ${asMembers('id, user_id')}`,
      [now, provider, limit],
    );
    return rows;
  },

  /**
   * Returns subscriptions that became invalid or valid because the payment provider changed: those of other providers
   * that would give access, and those of this provider that do. Each appears once, at most `limit` in all.
   */
  async takeSwitched(tx: Queryable, { provider, now, limit }: LapseLimits): Promise<Lapse[]> {
    const rows = await tx.query<Lapse>(
      `UPDATE subscriptions SET lapsed = provider <> $1
       WHERE id IN (SELECT id FROM subscriptions WHERE state IN ${RUNNING} AND lapsed <> (provider <> $1)
                      AND (access_until IS NULL OR access_until > $2)
                    ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING ${asMembers('id, user_id')}`,
      [provider, now, limit],
    );
    return rows;
  },

  /**
   * Returns the plan of the subscription that counts. Includes one whose access has ended, until that is published;
   * `undefined` without one.
   */
  async findPublishedPlan(source: Queryable, provider: string, userId: string): Promise<string | undefined> {
    const [row] = await source.query<{ plan_id: string }>(
      `SELECT plan_id FROM (SELECT plan_id, state, lapsed FROM subscriptions
                            WHERE provider = $1 AND user_id = $2 ${BY_WEIGHT} LIMIT 1) AS current
       WHERE state IN ${RUNNING} AND NOT lapsed`,
      [provider, userId],
    );
    return row?.plan_id;
  },

  /** Returns the number of subscriptions at other providers. This process does not manage them. */
  async countForeign(source: Queryable, provider: string): Promise<number> {
    const [row] = await source.query<{ subscriptions: number }>(
      `SELECT count(*) AS subscriptions FROM subscriptions WHERE provider <> $1 AND state IN ${RUNNING}`,
      [provider],
    );
    return row?.subscriptions ?? 0;
  },
};
