import type { AbTestAction, RuleVariant, SendingOptions } from '../rule-definition.js';

/** Returns the variants of a test with their options. A variant without an option has that of the test. */
export function variantsOf(action: AbTestAction): readonly RuleVariant[] {
  const { pathForwarding, queryForwarding, statusCode } = action;
  const options: SendingOptions = {
    ...(pathForwarding !== undefined && { pathForwarding }),
    ...(queryForwarding !== undefined && { queryForwarding }),
    ...(statusCode !== undefined && { statusCode }),
  };
  if (Object.keys(options).length === 0) return action.variants;
  return action.variants.map((variant) => ({ ...options, ...variant }));
}
