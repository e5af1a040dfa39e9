import type { Queryable } from '../../database/database.js';
import { STRIPE } from './stripe-names.js';

/** A session lasts a day; Stripe tries to tell of what became of it for three more. */
const TOLD_WITHIN = '4 days';

interface PageRow {
  readonly provider_checkout_id: string;
}

/** All SQL about pages at Stripe that are open as far as is known here. */
export const openPagesRepository = {
  /** Pages of the portal on which a user changes to a plan. */
  async findPlanChanges(source: Queryable, userId: string, planId: string): Promise<string[]> {
    const rows = await source.query<PageRow>(
      `SELECT provider_checkout_id FROM checkouts
       WHERE user_id = $1 AND plan_id = $2 AND provider = $3 AND status = 'open'
         AND provider_checkout_id LIKE 'bps\\_%' ORDER BY created_at`,
      [userId, planId, STRIPE],
    );
    return rows.map(idOfPage);
  },

  /** Checkout sessions, oldest first. */
  async findSessions(source: Queryable): Promise<string[]> {
    const rows = await source.query<PageRow>(
      `SELECT provider_checkout_id FROM checkouts
       WHERE provider = $1 AND status = 'open' AND provider_checkout_id LIKE 'cs\\_%'
         AND expires_at > now() - $2::interval ORDER BY created_at`,
      [STRIPE, TOLD_WITHIN],
    );
    return rows.map(idOfPage);
  },
};

function idOfPage(row: PageRow): string {
  return row.provider_checkout_id;
}
