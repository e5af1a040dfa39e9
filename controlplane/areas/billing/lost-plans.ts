import type { BillingParts } from './billing-parts.js';
import { RUNNING } from './subscription-repository.js';

/** Maximum number of plans that a warning names. */
const MAX_NAMED = 20;

/**
 * Warns about subscribed plans that the catalogue lost. Their users have the limits of the default plan and still
 * pay. To stop selling a plan, keep it with `isActive` false.
 */
export async function warnOfLostPlans({
  database,
  catalogue,
  logger,
}: Pick<BillingParts, 'database' | 'catalogue' | 'logger'>): Promise<void> {
  const lost = await database.query<{ plan: string; subscriptions: number }>(
    `SELECT plan_id AS plan, count(*) AS subscriptions FROM subscriptions
     WHERE state IN ${RUNNING} AND plan_id <> ALL ($1::text[])
     GROUP BY plan_id ORDER BY plan_id LIMIT $2`,
    [catalogue.plans.map(({ id }) => id), MAX_NAMED],
  );
  for (const { plan, subscriptions } of lost) {
    logger.warn(
      { plan, subscriptions, limitsOf: catalogue.defaultPlan.id },
      'a plan that is subscribed to is missing from PLANS_FILE; its subscribers have the limits of the default plan',
    );
  }
}
