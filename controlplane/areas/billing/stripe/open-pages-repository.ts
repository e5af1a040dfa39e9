import type { Queryable } from '../../../storage/postgres/database.js';
import type { PageOfIds } from '../reconciliation.js';
import { CHANGE_PREFIX, STRIPE } from './stripe-names.js';

/** A session lasts one day. Stripe repeats its events for three more. */
const TOLD_WITHIN = '4 days';

/** Maximum lead of our clock over Stripe's, which dates the events. */
const CLOCKS_APART = '1 minute';

const ALL_CHANGES = `${CHANGE_PREFIX.replace('_', '\\_')}%`;

interface PageRow {
  readonly provider_checkout_id: string;
}

/** All SQL about open pages at Stripe. */
export const openPagesRepository = {
  /** Pages on which a user changes the plan. */
  async findPlanChanges(source: Queryable, userId: string): Promise<string[]> {
    const rows = await source.query<PageRow>(
      `SELECT provider_checkout_id FROM checkouts
       WHERE user_id = $1 AND provider = $2 AND status = 'open' AND provider_checkout_id LIKE $3
       ORDER BY created_at`,
      [userId, STRIPE, ALL_CHANGES],
    );
    return rows.map(idOfPage);
  },

  /** Returns the page on which a user changed to a plan by `at`: the last one that was opened before. */
  async findPlanChange(
    source: Queryable,
    { userId, planId, at }: { readonly userId: string; readonly planId: string; readonly at: Date },
  ): Promise<string | undefined> {
    const [row] = await source.query<PageRow>(
      `SELECT provider_checkout_id FROM checkouts
       WHERE user_id = $1 AND plan_id = $2 AND provider = $3 AND status = 'open' AND provider_checkout_id LIKE $4
         AND created_at <= $5::timestamptz + interval '${CLOCKS_APART}' ORDER BY created_at DESC LIMIT 1`,
      [userId, planId, STRIPE, ALL_CHANGES, at],
    );
    return row && idOfPage(row);
  },

  /** Returns checkout sessions that Stripe may still report. */
  async listSessions(source: Queryable, { after, limit }: PageOfIds): Promise<string[]> {
    const rows = await source.query<PageRow>(
      `SELECT provider_checkout_id FROM checkouts
       WHERE provider = $1 AND provider_checkout_id > $2 AND status = 'open'
         AND provider_checkout_id LIKE 'cs\\_%' AND expires_at > now() - $3::interval
       ORDER BY provider_checkout_id LIMIT $4`,
      [STRIPE, after, TOLD_WITHIN, limit],
    );
    return rows.map(idOfPage);
  },
};

function idOfPage(row: PageRow): string {
  return row.provider_checkout_id;
}
