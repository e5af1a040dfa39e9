import type { AbTestAction, RuleVariant, SendingOptions } from '../rule-definition.js';

/** The variants of a test, each with the options that apply to it: its own, otherwise those of the test. */
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
