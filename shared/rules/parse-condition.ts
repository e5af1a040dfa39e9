import type { ConditionInput, ConditionResult } from './conditions/condition-result.js';
import { withReferrerDomains } from './conditions/domain-operands.js';
import { operandEnds } from './conditions/operands.js';
import { readCondition } from './conditions/read-condition.js';
import { patternFault } from './regex/compile-pattern.js';

/**
 * Reads a condition of a rule, as the API takes it (`/openapi.json`).
 *
 * @returns the condition, without a value if the operator takes none, with values as given (domains of referrers as
 * {@link withReferrerDomains} returns them); or the first fault, with what would be accepted
 */
export function parseCondition(input: ConditionInput): ConditionResult {
  const result = readCondition(input);
  if (!result.ok) return result;
  const { condition } = result;
  if (condition.operator === 'regex') {
    const fault = patternFault(operandEnds(condition)[0]);
    return fault === undefined ? result : { ok: false, path: 'value', message: `The pattern ${fault}.` };
  }
  return condition.attribute === 'referrer_domain' ? withReferrerDomains(condition) : result;
}
