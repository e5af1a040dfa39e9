import { UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { PlanAccess } from './plan-access.js';
import { retentionChangeRepository } from './retention-change-repository.js';

export interface RetentionDaysDeps {
  readonly database: Queryable;
  readonly access: PlanAccess;
}

/**
 * How far back hits of a user may still be stored, in days; `undefined`: without end. Hits stay for as long as the
 * plan said that they were recorded under, so that a longer plan of before counts too.
 */
export function createRetentionDays({ database, access }: RetentionDaysDeps) {
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
