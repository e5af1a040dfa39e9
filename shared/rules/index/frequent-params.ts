import type { RuleDefinition } from '../rule-definition.js';

/** The most parameters that can be frequent, since each is named by this part of all conditions at least. */
const MOST = 256;

/**
 * Tells the query parameters that enough conditions name for the index to have rows for them. Rows are as long as there
 * are rules, so that rows for rare parameters would need memory by the square of the rules.
 *
 * @returns whether a parameter that `rules` name is one of them
 */
export function frequentParams(rules: readonly RuleDefinition[]): (param: string) => boolean {
  let conditions = 0;
  for (const rule of rules) conditions += rule.conditions.length;
  // Each is named by at least one condition.
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
