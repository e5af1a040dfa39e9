import { AppError } from '../../errors/app-error.js';
import type { RulePlace } from './rule-priorities.js';

const MAX_LISTED = 10;

/** @throws {AppError} VALIDATION_ERROR unless `ruleIds` has each of these rules exactly once */
export function requireSameRules(places: readonly RulePlace[], ruleIds: readonly number[]): void {
  const given = new Set<number>();
  const repeated = new Set<number>();
  for (const id of ruleIds) (given.has(id) ? repeated : given).add(id);
  const known = new Set(places.map(({ id }) => id));
  const faults = [
    ['unknown', [...given].filter((id) => !known.has(id))],
    ['repeated', [...repeated]],
    ['missing', [...known].filter((id) => !given.has(id))],
  ] as const;
  const found = faults.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what}: ${listed(ids)}`);
  if (found.length === 0) return;
  throw new AppError('VALIDATION_ERROR', {
    field: 'ruleIds',
    message: `ruleIds must be the ids of all rules of the redirect, each once; ${found.join('; ')}.`,
  });
}

function listed(ids: readonly number[]): string {
  const shown = ids.slice(0, MAX_LISTED).join(', ');
  return ids.length > MAX_LISTED ? `${shown} and ${ids.length - MAX_LISTED} more` : shown;
}
