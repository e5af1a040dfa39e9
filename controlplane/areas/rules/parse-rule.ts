import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseCondition } from '../../../shared/rules/parse-condition.js';
import type { RuleAction, RuleCondition, RuleTarget } from '../../../shared/rules/rule-definition.js';
import { AppError } from '../../errors/app-error.js';
import { parseDestination } from '../domains/public.js';
import { parseDateField } from '../redirects/public.js';
import type { RuleSettings } from './rule.js';
import { requireConsistent } from './rule-consistency.js';
import type { CreateRule, UpdateRule } from './rule-schema.js';

/** Values of members that a new rule leaves out, or that a patch removes. */
export const DEFAULTS = {
  description: '',
  conditions: [],
  conditionLogic: 'AND',
  status: 'draft',
  startDate: null,
  endDate: null,
  metadata: {},
} as const satisfies Partial<RuleSettings>;

/** Reads a new rule that has passed its schema. @throws {AppError} VALIDATION_ERROR naming the field */
export async function parseNewRule(input: CreateRule): Promise<RuleSettings> {
  const { name, type, action, ...others } = input;
  const given = { name, type, action: parseAction(action), ...(await parseRuleChanges(others)) };
  const settings = { ...DEFAULTS, ...given };
  requireConsistent(settings, settings);
  return settings;
}

/**
 * Reads the changes of a rule. `requireConsistent` checks them against the rest of the rule.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export async function parseRuleChanges(input: UpdateRule): Promise<Partial<RuleSettings>> {
  const { name, description, type, conditionLogic, status, metadata } = input;
  const { action, conditions, startDate, endDate } = input;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description ?? '' }),
    ...(type !== undefined && { type }),
    ...(action !== undefined && { action: parseAction(action) }),
    ...(conditions !== undefined && { conditions: await parseConditions(conditions) }),
    ...(conditionLogic !== undefined && { conditionLogic }),
    ...(status !== undefined && { status }),
    ...(startDate !== undefined && { startDate: parseDateField(startDate, 'startDate', 'start') }),
    ...(endDate !== undefined && { endDate: parseDateField(endDate, 'endDate', 'end') }),
    ...(metadata !== undefined && { metadata }),
  };
}

function parseAction(input: RuleAction): RuleAction {
  if (input.type !== 'ab_test') return parseTarget(input, 'action');
  const variants = input.variants.map((variant, index) => parseTarget(variant, `action.variants.${index}`));
  return { ...input, variants };
}

/**
 * Returns the target with its URL in the stored form. The URL may be on the redirect's own host.
 *
 * @param path of the target in the body, for the field of the error
 * @throws {AppError} VALIDATION_ERROR for an unusable URL
 */
function parseTarget<Target extends RuleTarget>(target: Target, path: string): Target {
  // Store the URL as given. The redirect's options may change later; they apply when a location is composed.
  const parsed = parseDestination(target.url, { pathForwarding: false });
  if (parsed.ok) return { ...target, url: parsed.destination };
  throw new AppError('VALIDATION_ERROR', { field: `${path}.url`, message: parsed.message });
}

/** Maximum time that parsing one request's conditions delays other requests. */
const MAX_TURN_MS = 10;

/**
 * Parses the conditions of a rule. Yields to other requests: a pattern takes up to tens of milliseconds to compile,
 * and there may be hundreds.
 *
 * @throws {AppError} VALIDATION_ERROR naming the member of the first invalid condition
 */
export async function parseConditions(
  inputs: NonNullable<CreateRule['conditions']>,
): Promise<RuleCondition[]> {
  const conditions: RuleCondition[] = [];
  let turnStartMs = performance.now();
  for (const [index, input] of inputs.entries()) {
    if (performance.now() - turnStartMs > MAX_TURN_MS) {
      await nextTurn();
      turnStartMs = performance.now();
    }
    const parsed = parseCondition(input);
    if (!parsed.ok) {
      const field = `conditions.${index}.${parsed.path}`;
      throw new AppError('VALIDATION_ERROR', { field, message: parsed.message });
    }
    conditions.push(parsed.condition);
  }
  return conditions;
}
