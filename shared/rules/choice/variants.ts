import type { AbTestAction, ForwardingSwitches, RuleVariant } from '../rule-definition.js';

/** The variants of a test, each with the switches that it has: its own, or for want of one that of the test. */
export function variantsOf(action: AbTestAction): readonly RuleVariant[] {
  const { pathForwarding, queryForwarding } = action;
  const switches: ForwardingSwitches = {
    ...(pathForwarding !== undefined && { pathForwarding }),
    ...(queryForwarding !== undefined && { queryForwarding }),
  };
  if (Object.keys(switches).length === 0) return action.variants;
  return action.variants.map((variant) => ({ ...switches, ...variant }));
}
