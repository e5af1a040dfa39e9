import { LRUCache } from 'lru-cache';
import type { Plan } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { PlanAccess } from '../plans/public.js';
import type { BillingParts } from './billing-parts.js';
import { lapseRepository } from './lapse-repository.js';
import { hasAccess, type Subscription } from './subscription.js';
import { RUNNING, subscriptionRepository } from './subscription-repository.js';

/** Maximum time for which another process uses a plan that this process has changed. */
const CACHE_LIFETIME_MS = 1_000;
const CACHE_SIZE = 10_000;

type Known = Pick<Subscription, 'planId' | 'state' | 'accessUntil'>;
const NO_SUBSCRIPTION = 'none';

interface PlanAccessDeps extends Pick<BillingParts, 'database' | 'catalogue' | 'nowMs'> {
  /** Provider whose subscriptions count. */
  readonly provider: string;
}

/** Finds plans by subscription: the plan of a subscription while it gives access, otherwise the default plan. */
export function createPlanAccess({ database, catalogue, provider, nowMs }: PlanAccessDeps): PlanAccess {
  const cache = new LRUCache<string, Known | typeof NO_SUBSCRIPTION>({
    max: CACHE_SIZE,
    ttl: CACHE_LIFETIME_MS,
  });
  let forgotten = 0;

  const planBy = (known: Known | typeof NO_SUBSCRIPTION | undefined): Plan =>
    known !== undefined && known !== NO_SUBSCRIPTION && hasAccess(known, nowMs())
      ? catalogue.get(known.planId)
      : catalogue.defaultPlan;

  const knownIn = (source: Queryable, userIds: readonly string[]) =>
    subscriptionRepository.currentOf(source, provider, userIds);

  return {
    async planOf(userId) {
      const cached = cache.get(userId);
      if (cached !== undefined) return planBy(cached);
      const forgottenBefore = forgotten;
      const known = (await knownIn(database, [userId])).get(userId);
      // A subscription that changed during the read must not stay in the cache.
      if (forgotten === forgottenBefore) cache.set(userId, known ?? NO_SUBSCRIPTION);
      return planBy(known);
    },
    async plansOf(source, userIds) {
      const known = await knownIn(source, userIds);
      return new Map(userIds.map((userId) => [userId, planBy(known.get(userId))]));
    },
    planIn: async (source, userId) => planBy((await knownIn(source, [userId])).get(userId)),
    async publishedPlanIn(source, userId) {
      const planId = await lapseRepository.findPublishedPlan(source, provider, userId);
      return planId === undefined ? catalogue.defaultPlan : catalogue.get(planId);
    },
    forget(userId) {
      forgotten += 1;
      cache.delete(userId);
    },
  };
}

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
