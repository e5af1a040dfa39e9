import { equalityText } from '../comparable-text.js';
import { clockMaskOf } from '../conditions/clock-test.js';
import { operandTexts } from '../conditions/operands.js';
import { isNegative, positiveOf } from '../conditions/operators.js';
import { conditionFault } from '../conditions/read-condition.js';
import type { RuleCondition, RuleDefinition } from '../rule-definition.js';
import type { FindLookup } from './lookup.js';
import type { Key, Requirement } from './requirement.js';
import { rememberSources } from './source.js';
import { startLookups } from './start-lookup.js';

/** Maximum number of frequent parameters. At least one in 256 conditions names each. */
const MAX_FREQUENT_PARAMS = 256;

/** Finds the lookups among the conditions of `rules`. */
export function lookupsIn(rules: readonly RuleDefinition[]): FindLookup {
  const isFrequent = frequentParams(rules);
  const startLookup = startLookups(rules);
  const sourceOf = rememberSources();
  return (condition) => {
    const { operator, param } = condition;
    if (conditionFault(condition) !== undefined || (param !== undefined && !isFrequent(param)))
      return undefined;
    if (operator === 'starts_with') return startLookup(condition);
    const requirement = requirementOf(condition);
    return requirement && { source: sourceOf(condition, requirement.allowsMissing), requirement };
  };
}

function requirementOf(condition: RuleCondition): Requirement | undefined {
  switch (condition.attribute) {
    case 'hour_of_day':
      return clockRequirement(condition, 24);
    case 'day_of_week':
      return clockRequirement(condition, 7);
    default:
      return textRequirement(condition);
  }
}

/** Converts a condition on the clock into the set of hours or days that satisfy it. */
function clockRequirement(condition: RuleCondition, units: number): Requirement {
  const mask = clockMaskOf(condition, units);
  const keys: Key[] = [];
  for (let unit = 0; unit < units; unit += 1) {
    if ((mask >>> unit) & 1) keys.push(unit);
  }
  return { keys, isComplement: false, allowsMissing: false };
}

function textRequirement(condition: RuleCondition): Requirement | undefined {
  const negative = isNegative(condition.operator);
  switch (positiveOf(condition.operator)) {
    case 'equals':
    case 'in': {
      const keys = operandTexts(condition).map((text) => equalityText(condition.attribute, text));
      return { keys, isComplement: negative, allowsMissing: negative };
    }
    case 'exists':
      return { keys: [], isComplement: !negative, allowsMissing: negative };
    default:
      return undefined;
  }
}

/**
 * Selects the query parameters that enough conditions name to have rows in the index. A row is as long as the number of
 * rules, so rows for rare parameters would need memory quadratic in the number of rules.
 *
 * @returns whether a parameter that `rules` name is one of them
 */
function frequentParams(rules: readonly RuleDefinition[]): (param: string) => boolean {
  let conditions = 0;
  for (const rule of rules) conditions += rule.conditions.length;
  // At least one condition names each parameter.
  if (conditions <= MAX_FREQUENT_PARAMS) return () => true;
  const namings = countNamings(rules);
  return (param) => (namings.get(param) ?? 0) * MAX_FREQUENT_PARAMS >= conditions;
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
