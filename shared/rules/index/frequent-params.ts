import type { RuleDefinition } from '../rule-definition.js';

/** Maximum number of frequent parameters. At least one in 256 conditions names each. */
const MOST = 256;

/**
 * Selects the query parameters that enough conditions name, so that the index has rows for them. A row is as long as
 * the number of rules. Rows for rare parameters would therefore need memory by the square of the rules.
 *
 * @returns whether a parameter that `rules` name is one of them
 */
export function frequentParams(rules: readonly RuleDefinition[]): (param: string) => boolean {
  let conditions = 0;
  for (const rule of rules) conditions += rule.conditions.length;
  // At least one condition names each.
  if (conditions <= MOST) return () => true;
  const namings = countNamings(rules);
  return (param) => (namings.get(param) ?? 0) * MOST >= conditions;
}

function countNamings(rules: readonly RuleDefinition[]): Map<string, number> {
  const namings = new Map<string, number>();
  for (const rule of rules) {
    for (const { param } of rule.conditions) {
      if (param !== undefined) namings.set(param, (namings.get(param) ?? 0) + 1);
    }
  }
  return namings;
}
