import { asMembers, membersFor } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Subscription } from './subscription.js';

/** A subscription with the report of its state. */
export interface StoredSubscription extends Subscription {
  /** Start of the unpaid time as the provider reports it, independent of the charges. */
  readonly reportedPastDueSince: Date | null;
  readonly occurredAt: Date;
  readonly eventId: string;
}

const COLUMNS = `id, user_id, provider, plan_id, state, current_period_start, current_period_end,
  cancel_at_period_end, canceled_at, trial_start, trial_end, past_due_since, ended_at, access_until, occurred_at,
  event_id, reported_past_due_since`;
const SELECTED = asMembers(COLUMNS);

/** Running states, for `IN`. */
export const RUNNING = "('trialing', 'active', 'past_due', 'canceled')";

/** Running subscriptions first, then ended ones; the latest first. */
export const BY_WEIGHT = `ORDER BY user_id, state IN ${RUNNING} DESC,
  state = 'incomplete' DESC, current_period_start DESC, id DESC`;

/** All SQL about subscriptions. */
export const subscriptionRepository = {
  async findById(source: Queryable, id: string): Promise<StoredSubscription | undefined> {
    const [row] = await source.query<StoredSubscription>(
      `SELECT ${SELECTED} FROM subscriptions WHERE id = $1`,
      [id],
    );
    return row;
  },

  /**
   * Returns the subscription that counts for each of these users. Users who never had one with the active provider are
   * absent; subscriptions of other providers do not count.
   */
  async currentOf(
    source: Queryable,
    provider: string,
    userIds: readonly string[],
  ): Promise<Map<string, StoredSubscription>> {
    const rows = await source.query<StoredSubscription>(
      `SELECT DISTINCT ON (user_id) ${SELECTED} FROM subscriptions
       WHERE provider = $1 AND user_id = ANY ($2) ${BY_WEIGHT}`,
      [provider, userIds],
    );
    return new Map(rows.map((row) => [row.userId, row]));
  },

  /** Resolves to whether a subscription of the user with the provider has ever begun. */
  async hasBegunBefore(source: Queryable, provider: string, userId: string): Promise<boolean> {
    const rows = await source.query(
      `SELECT 1 FROM subscriptions
       WHERE provider = $1 AND user_id = $2 AND state NOT IN ('incomplete', 'incomplete_expired') LIMIT 1`,
      [provider, userId],
    );
    return rows.length > 0;
  },

  /** Stores a report. The end of access is published again only if it changed. */
  async save(tx: Queryable, report: StoredSubscription): Promise<void> {
    await tx.query(
      `INSERT INTO subscriptions (${COLUMNS})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
       ON CONFLICT (id) DO UPDATE SET plan_id = $4, state = $5, current_period_start = $6,
         current_period_end = $7, cancel_at_period_end = $8, canceled_at = $9, trial_start = $10,
         trial_end = $11, past_due_since = $12, ended_at = $13, access_until = $14, occurred_at = $15,
         event_id = $16, reported_past_due_since = $17,
         lapsed = subscriptions.lapsed AND subscriptions.access_until IS NOT DISTINCT FROM excluded.access_until`,
      membersFor(COLUMNS, report),
    );
  },

  async keepReason(tx: Queryable, id: string, reason: string): Promise<void> {
    await tx.query('UPDATE subscriptions SET cancel_reason = $2 WHERE id = $1', [id, reason]);
  },

  /** Changes the end of access of a subscription, and the start of its grace period. */
  async setGrace(
    tx: Queryable,
    id: string,
    { pastDueSince, accessUntil }: Pick<Subscription, 'pastDueSince' | 'accessUntil'>,
  ): Promise<void> {
    await tx.query(
      `UPDATE subscriptions SET past_due_since = $2, access_until = $3,
         lapsed = lapsed AND access_until IS NOT DISTINCT FROM $3 WHERE id = $1`,
      [id, pastDueSince, accessUntil],
    );
  },

  /** Returns users with more than one subscription that renews. `userId` limits the search to one user. */
  async findDoubled(source: Queryable, provider: string, userId?: string): Promise<string[]> {
    const rows = await source.query<{ user_id: string }>(
      `SELECT user_id FROM subscriptions
       WHERE provider = $1 AND ($2::text IS NULL OR user_id = $2) AND state IN ('trialing', 'active', 'past_due')
       GROUP BY user_id HAVING count(*) > 1 ORDER BY user_id`,
      [provider, userId ?? null],
    );
    return rows.map((row) => row.user_id);
  },

  /** Returns the ids of subscriptions that a provider may still change, in order, after `after`. */
  async listOpen(
    source: Queryable,
    provider: string,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      `SELECT id FROM subscriptions
       WHERE provider = $1 AND id > $2 AND state NOT IN ('incomplete_expired', 'ended', 'revoked')
       ORDER BY id LIMIT $3`,
      [provider, after, limit],
    );
    return rows.map(({ id }) => id);
  },
};
