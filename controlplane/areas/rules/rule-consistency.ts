import type { RuleAction, RuleVariant } from '../../../shared/rules/rule-definition.js';
import { AppError } from '../../errors/app-error.js';
import type { RuleSettings } from './rule.js';
import { ACTION_OF_TYPE } from './rule-action-schema.js';
import { requireBoundedRule } from './rule-size.js';

const WHOLE = 100;
/** Tolerance of the sum: thirds and sevenths cannot be written exactly. */
const SUM_TOLERANCE = 1e-6;

/**
 * Checks constraints between several members of a rule.
 *
 * @param settings the whole rule in its stored form
 * @param given the members that the caller sent
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function requireConsistent(settings: RuleSettings, given: Partial<RuleSettings>): void {
  requireFittingAction(settings, given);
  if (settings.action.type === 'ab_test') requireWholeSplit(settings.action.variants);
  const { startDate, endDate } = settings;
  if (startDate !== null && endDate !== null && endDate < startDate) {
    const [start, end] = [`startDate (${startDate.toISOString()})`, `endDate (${endDate.toISOString()})`];
    if (given.endDate === undefined) throw invalid('startDate', `${start} must not be after ${end}.`);
    throw invalid('endDate', `${end} must not be before ${start}.`);
  }
  requireBoundedRule(settings);
}

function requireFittingAction({ type, action }: RuleSettings, given: Partial<RuleSettings>): void {
  const expected = ACTION_OF_TYPE[type];
  if (action.type === expected) return;
  if (given.action !== undefined) {
    throw invalid('action.type', `action.type must be ${expected} for a rule of the type ${type}.`);
  }
  throw invalid(
    'type',
    `type must be ${typeOf(action)} for an action of the type ${action.type}; to change it to ${type}, send an action of the type ${expected} too.`,
  );
}

function typeOf(action: RuleAction): string | undefined {
  return Object.entries(ACTION_OF_TYPE).find(([, actionType]) => actionType === action.type)?.[0];
}

function requireWholeSplit(variants: readonly RuleVariant[]): void {
  const names = new Set<string>();
  for (const [index, { name }] of variants.entries()) {
    if (names.has(name)) {
      throw invalid(
        `action.variants.${index}.name`,
        `action.variants.${index}.name must differ from the names of the other variants; ${name} is taken.`,
      );
    }
    names.add(name);
  }
  const sum = variants.reduce((total, { percentage }) => total + percentage, 0);
  if (Math.abs(sum - WHOLE) <= SUM_TOLERANCE) return;
  throw invalid(
    'action.variants',
    `The percentages of action.variants must sum to ${WHOLE}; these sum to ${Number(sum.toFixed(6))}.`,
  );
}

function invalid(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', { field, message });
}
