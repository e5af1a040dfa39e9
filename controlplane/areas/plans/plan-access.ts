import type { Plan, PlanOf } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';

/** Plan of a user: that of the subscription while it gives access, otherwise the default. */
export interface PlanAccess {
  /** Remembers subscriptions for a second; what ends by the clock ends on time all the same. */
  readonly planOf: PlanOf;
  /** The plans that users are on, by user id, as `source` sees them; nothing is remembered. */
  plansOf(source: Queryable, userIds: readonly string[]): Promise<Map<string, Plan>>;
  /** The plan that a user is on, as `source` sees it; nothing is remembered. */
  planIn(source: Queryable, userId: string): Promise<Plan>;
  /**
   * Returns the plan that was last published to data planes. A plan that ended by the clock stays published until a
   * periodic job notices.
   */
  publishedPlanIn(source: Queryable, userId: string): Promise<Plan>;
  /** Drops what is remembered of a user, after its subscription has changed. */
  forget(userId: string): void;
}
