import type { RuleAction, RuleDefinition, Sticky } from '../rule-definition.js';

export const RULE_ID = 42;
export const NEW = 'https://new.example';

/** A rule that matches everybody. */
export function ruleWith(action: RuleAction, id = RULE_ID): RuleDefinition {
  return { id, conditionLogic: 'AND', conditions: [], action };
}

/** Redirects `share` percent to `NEW`. */
export function percentage(share: number, sticky: Sticky = 'none'): RuleDefinition {
  return ruleWith({ type: 'percentage_redirect', url: NEW, percentage: share, sticky });
}

/** Variants by name, with their percentages. Each leads to a host of its name. */
export function abTest(
  percentages: Readonly<Record<string, number>>,
  sticky: Sticky = 'none',
  id = RULE_ID,
): RuleDefinition {
  const variants = Object.entries(percentages).map(([name, share]) => ({
    name,
    percentage: share,
    url: `https://${name}.example`,
  }));
  return ruleWith({ type: 'ab_test', variants, sticky }, id);
}
