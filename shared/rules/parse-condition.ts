import type { ConditionInput, ConditionResult } from './conditions/condition-result.js';
import { operandEnds } from './conditions/operands.js';
import { readCondition } from './conditions/read-condition.js';
import { patternFault } from './regex/compile-pattern.js';

/**
 * Reads a condition as contract section 6 has it.
 *
 * @returns the condition, its values as they were given, without a value where the operator takes none; or where
 *   the first fault is and what would be accepted there
 */
export function parseCondition(input: ConditionInput): ConditionResult {
  const result = readCondition(input);
  if (!result.ok || result.condition.operator !== 'regex') return result;
  const [pattern] = operandEnds(result.condition);
  const fault = patternFault(pattern);
  return fault === undefined ? result : { ok: false, path: 'value', message: `The pattern ${fault}.` };
}
