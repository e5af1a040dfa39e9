import { AppError } from '../../errors/app-error.js';
import { type Plan, UNLIMITED } from '../../plan.js';
import { MAX_ENTRIES } from './path-table.js';

/**
 * Refuses more entries than a table may have.
 *
 * @throws {AppError} PLAN_LIMIT_REACHED, naming plan, limit and use, or VALIDATION_ERROR
 */
export function requireEntryRoom({ name, perRedirect }: Plan, used: number, added: number): void {
  const { maxPathsPerRedirect: limit } = perRedirect;
  if (limit !== UNLIMITED && used + added > limit) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      message: `The plan ${name} allows ${limit} paths per redirect, and this one would have ${used + added}. Delete some or choose a larger plan.`,
    });
  }
  if (used + added > MAX_ENTRIES) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'entries',
      message: `A table can have at most ${MAX_ENTRIES} entries; this one would have ${used + added}.`,
    });
  }
}
