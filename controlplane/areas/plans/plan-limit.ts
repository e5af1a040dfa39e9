import { AppError } from '../../errors/app-error.js';
import { type Plan, UNLIMITED } from '../../plan.js';

export interface UsedRoom {
  readonly limit: number;
  readonly used: number;
  /** Limited resource and its owner: `redirects`, `you have`. */
  readonly what: string;
  readonly has: string;
}

/**
 * Refuses one more of a limited resource.
 *
 * @throws {AppError} PLAN_LIMIT_REACHED, naming plan, limit and use
 */
export function requireRoom({ name }: Plan, { limit, used, what, has }: UsedRoom): void {
  if (limit === UNLIMITED || used < limit) return;
  const surplus = used - limit + 1;
  throw new AppError('PLAN_LIMIT_REACHED', {
    message: `The plan ${name} allows ${limit} ${what} and ${has} ${used}. Delete ${surplus === 1 ? 'one' : surplus} or choose a larger plan.`,
  });
}
