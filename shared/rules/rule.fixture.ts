import type { ConditionLogic, RuleCondition, RuleDefinition } from './rule-definition.js';

/** A rule that redirects to a destination of its own. */
export function ruleOf(
  id: number,
  conditions: readonly RuleCondition[] = [],
  given: Partial<RuleDefinition> = {},
): RuleDefinition {
  const action = { type: 'redirect', url: `https://rule-${id}.example` } as const;
  return { id, conditionLogic: 'AND', conditions, action, ...given };
}

/** Returns rules with these conditions and the ids 1, 2, 3 …. */
export function rulesOf(
  conditions: readonly (readonly RuleCondition[])[],
  conditionLogic: ConditionLogic = 'AND',
): RuleDefinition[] {
  return conditions.map((one, index) => ruleOf(index + 1, one, { conditionLogic }));
}
