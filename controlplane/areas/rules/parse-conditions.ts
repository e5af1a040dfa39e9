import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseCondition } from '../../../shared/rules/parse-condition.js';
import type { RuleCondition } from '../../../shared/rules/rule-definition.js';
import { AppError } from '../../errors/app-error.js';
import type { CreateRule } from './rule-schema.js';

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
