import type { RuleDefinition } from '../rule-definition.js';

/** The most parameters that can be frequent, since each is named by this part of all conditions at least. */
const MOST = 256;

/**
 * The query parameters that enough conditions name for the index to have rows for them. Rows are as long as there
 * are rules, so that rows for rare parameters would need memory by the square of the rules.
 */
export function frequentParams(rules: readonly RuleDefinition[]): ReadonlySet<string> {
  const namings = new Map<string, number>();
  let conditions = 0;
  for (const rule of rules) {
    conditions += rule.conditions.length;
    for (const { param } of rule.conditions) {
      if (param !== undefined) namings.set(param, (namings.get(param) ?? 0) + 1);
    }
  }
  return new Set([...namings].filter(([, count]) => count * MOST >= conditions).map(([param]) => param));
}
