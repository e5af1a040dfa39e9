import type { PercentageAction, RuleDefinition, Sticky } from '../../shared/rules/rule-definition.js';

/** A rule that redirects every visitor to `https://rule-<id>.example`, except for the given members. */
export function ruleOf(id: number, given: Partial<Omit<RuleDefinition, 'id'>> = {}): RuleDefinition {
  return {
    id,
    conditionLogic: 'AND',
    conditions: [],
    action: { type: 'redirect', url: `https://rule-${id}.example` },
    ...given,
  };
}

/** A rule that redirects a share of all visitors to `https://rule-<id>.example`. */
export function shareOf(
  id: number,
  percentage: number,
  given: Partial<PercentageAction> = {},
): RuleDefinition {
  const url = `https://rule-${id}.example`;
  return ruleOf(id, {
    action: { type: 'percentage_redirect', url, percentage, sticky: 'none', ...given },
  });
}

/** A rule that splits visitors evenly between variants. The host of each is its name: `https://<name>.example`. */
export function splitOf(id: number, names: readonly string[], sticky: Sticky): RuleDefinition {
  const percentage = 100 / names.length;
  const variants = names.map((name) => ({ name, percentage, url: `https://${name}.example` }));
  return ruleOf(id, { action: { type: 'ab_test', variants, sticky } });
}
