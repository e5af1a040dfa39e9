import type { ConditionInput, ConditionResult } from './conditions/condition-result.js';
import { withReferrerDomains } from './conditions/domain-operands.js';
import { operandEnds } from './conditions/operands.js';
import { readCondition } from './conditions/read-condition.js';
import { patternFault } from './regex/compile-pattern.js';

/**
 * Parses a condition of a rule as the API accepts it (`/openapi.json`).
 *
 * @returns the condition, or the first fault with the accepted values. The condition has no value if the operator takes
 * none. Values are unchanged, except domains of referrers (see {@link withReferrerDomains})
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
