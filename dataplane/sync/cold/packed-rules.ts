import type { RuleCondition, RuleDefinition } from '../../../shared/rules/rule-definition.js';

/**
 * A rule without member names: `[id, logic, action, dates]`, then attribute, operator, value and qualifier of each
 * condition. The JSON of ten usual rules is two fifths shorter and parsed in two thirds of the time. Visitors wait for
 * that. The conditions are not lists of their own, which would be more garbage.
 */
export type PackedRule = [
  id: RuleDefinition['id'],
  conditionLogic: RuleDefinition['conditionLogic'],
  action: RuleDefinition['action'],
  dates: Dates,
  ...conditions: unknown[],
];

/** Start and end of the rule. */
type Dates = typeof NONE | readonly [startMs: number | null, endMs: number | null];

/** Name of the query parameter, or a list with the time zone. An invalid condition may have both. */
type Qualifier = typeof NONE | string | readonly [timezone: string, param?: string];

/** Marks absent dates and absent qualifiers. */
const NONE = 0;
const DATES_AT = 3;
const CONDITIONS_AT = 4;
const MEMBERS = 4;
const DATES = 2;

export function packRule({
  id,
  conditionLogic,
  conditions,
  action,
  startMs,
  endMs,
}: RuleDefinition): PackedRule {
  const hasDates = startMs !== undefined || endMs !== undefined;
  const dates: Dates = hasDates ? [startMs ?? null, endMs ?? null] : NONE;
  const packed: PackedRule = [id, conditionLogic, action, dates];
  for (const condition of conditions) {
    const { attribute, operator, value } = condition;
    packed.push(attribute, operator, value ?? null, qualifierOf(condition));
  }
  return packed;
}

function qualifierOf({ param, timezone }: RuleCondition): Qualifier {
  if (timezone === undefined) return param ?? NONE;
  return param === undefined ? [timezone] : [timezone, param];
}

/** Returns whether `unpackRule` accepts a value. The result may still be an invalid rule. */
export function isPackedRule(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < CONDITIONS_AT) return false;
  const dates: unknown = value[DATES_AT];
  const areDates = dates === NONE || (Array.isArray(dates) && dates.length === DATES);
  return areDates && (value.length - CONDITIONS_AT) % MEMBERS === 0;
}

/** Reverses `packRule`. */
export function unpackRule(packed: Readonly<PackedRule>): RuleDefinition {
  const [id, conditionLogic, action, dates] = packed;
  const conditions = new Array<RuleCondition>((packed.length - CONDITIONS_AT) / MEMBERS);
  for (let place = 0; place < conditions.length; place += 1) {
    conditions[place] = conditionAt(packed, CONDITIONS_AT + MEMBERS * place);
  }
  const rule = { id, conditionLogic, conditions, action };
  if (dates === NONE) return rule;
  const [startMs, endMs] = dates;
  return { ...rule, ...(startMs !== null && { startMs }), ...(endMs !== null && { endMs }) };
}

function conditionAt(packed: Readonly<PackedRule>, at: number): RuleCondition {
  const attribute = packed[at] as RuleCondition['attribute'];
  const operator = packed[at + 1] as RuleCondition['operator'];
  const value = packed[at + 2] as NonNullable<RuleCondition['value']> | null;
  const qualifier = packed[at + 3] as Qualifier;
  if (qualifier === NONE) return value === null ? { attribute, operator } : { attribute, operator, value };
  if (typeof qualifier === 'string') {
    const param = qualifier;
    return value === null ? { attribute, operator, param } : { attribute, operator, value, param };
  }
  const [timezone, param] = qualifier;
  return {
    attribute,
    operator,
    ...(value !== null && { value }),
    ...(param !== undefined && { param }),
    timezone,
  };
}
