import { UNLIMITED } from '../../plan.js';
import type { PlanParts } from './plan-parts.js';
import { retentionChangeRepository } from './retention-change-repository.js';

/**
 * Creates a function that returns the maximum age of a user's stored hits in days; undefined without a limit. Hits
 * keep the retention of the plan under which they were recorded, so former plans count too.
 */
export function createRetentionDays({ database, access }: Pick<PlanParts, 'database' | 'access'>) {
  return async (userId: string): Promise<number | undefined> => {
    const { analyticsRetentionDays } = (await access.planOf(userId)).perRedirect;
    const longest = await retentionChangeRepository.longestOf(database, userId);
    const days = longerRetention(analyticsRetentionDays, longest ?? analyticsRetentionDays);
    return days === UNLIMITED ? undefined : days;
  };
}

/** Returns the longer of two numbers of days, where -1 means for ever. */
export function longerRetention(one: number, other: number): number {
  return one === UNLIMITED || other === UNLIMITED ? UNLIMITED : Math.max(one, other);
}
