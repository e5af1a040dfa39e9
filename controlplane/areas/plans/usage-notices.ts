import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';

/** Share of a limit from which owners get a notice. */
const APPROACHING = 0.8;

/** Returns the number of events from which the owner gets a notice. */
export function approachingFrom(limit: number): number {
  return Math.max(1, Math.ceil(limit * APPROACHING));
}

/** The events of a redirect in a month. */
export interface EventUse {
  readonly redirectId: string;
  readonly used: number;
  readonly limit: number;
}

/**
 * Notifies owners whose redirects approach or reach their events of the month. Each notice is sent once per redirect,
 * month and kind.
 */
export async function announceEventUse(
  tx: Queryable,
  month: string,
  uses: readonly EventUse[],
): Promise<void> {
  const notable = uses.filter(({ used, limit }) => limit > 0 && used >= approachingFrom(limit));
  if (notable.length === 0) return;
  const kinds = notable.map(({ used, limit }) => (used >= limit ? 'limit_reached' : 'approaching_limit'));
  const rows = await tx.query<NoticeRow>(
    `WITH added AS (
       INSERT INTO usage_notices (redirect_id, month, kind)
       SELECT redirects.id, $3, kind FROM unnest($1::text[], $2::text[]) AS new (redirect_id, kind)
         JOIN redirects ON redirects.id = redirect_id
       ON CONFLICT DO NOTHING RETURNING redirect_id, kind)
     SELECT redirect_id, kind, user_id, from_domain FROM added JOIN redirects ON id = redirect_id`,
    [notable.map(({ redirectId }) => redirectId), kinds, month],
  );
  const useOf = new Map(notable.map((use) => [use.redirectId, use]));
  for (const { redirect_id: redirectId, kind, user_id: userId, from_domain: domain } of rows) {
    const { used = 0, limit: allowed = 0 } = useOf.get(redirectId) ?? {};
    const data = { limit: 'analyticsEvents', redirectId, domain, month, used, allowed };
    await emit(tx, userId, `usage.${kind}`, data);
  }
}

interface NoticeRow {
  readonly redirect_id: string;
  readonly kind: 'approaching_limit' | 'limit_reached';
  readonly user_id: string;
  readonly from_domain: string;
}

/** Deletes the records of notices about earlier months. */
export async function forgetEventUse(source: Queryable, month: string): Promise<void> {
  await source.query('DELETE FROM usage_notices WHERE month < $1', [month]);
}
