import type { AreaParts } from '../../area.js';
import type { Plan, PlanOf } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { PlanCatalogue } from './plan-catalogue.js';

/** Parts of areas that deal with plans. */
export interface PlanParts extends AreaParts {
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
}

/** The plan of a user: that of the subscription while it gives access, otherwise the default. */
export interface PlanAccess {
  /** Returns plans from a cache of a second. A subscription that ends by the clock ends on time. */
  readonly planOf: PlanOf;
  /** Returns the plans of users by user id, as `source` sees them, without the cache. */
  plansOf(source: Queryable, userIds: readonly string[]): Promise<Map<string, Plan>>;
  /** Returns the plan of a user, as `source` sees it, without the cache. */
  planIn(source: Queryable, userId: string): Promise<Plan>;
  /**
   * Returns the plan that was last published to data planes. A plan that ended by the clock stays published until a
   * periodic job notices.
   */
  publishedPlanIn(source: Queryable, userId: string): Promise<Plan>;
  /** Removes a user from the cache, because the subscription changed. */
  forget(userId: string): void;
}
