import { ATTRIBUTES, type Attribute, type Operator } from '../../../shared/rules/attributes.js';
import type { RuleAction, RuleCondition, RuleDefinition } from '../../../shared/rules/rule-definition.js';

/**
 * A rule without member names: `[id, logic, action, dates]`, then attribute, operator, value and qualifier of each
 * condition. Attributes and operators are numbers, the logic is 0 for AND, and an action with only a URL is that URL.
 * Visitors wait for the parsing: the JSON of ten usual rules is less than half as long and parsed in less than two
 * thirds of the time. The conditions are not separate lists, which would be more garbage.
 *
 * Lines of an older release contain names, AND and whole actions instead.
 */
export type PackedRule = [
  id: RuleDefinition['id'],
  conditionLogic: typeof AND | RuleDefinition['conditionLogic'],
  action: string | RuleAction,
  dates: Dates,
  ...conditions: unknown[],
];

/** Start and end of the rule. */
type Dates = typeof NONE | readonly [startMs: number | null, endMs: number | null];

/** Name of the query parameter, or a list with the time zone. An invalid condition may have both. */
type Qualifier = typeof NONE | string | readonly [timezone: string, param?: string];

/** Marks absent dates and absent qualifiers. */
const NONE = 0;
const AND = 0;
const DATES_AT = 3;
const CONDITIONS_AT = 4;
const MEMBERS = 4;
const DATES = 2;

/**
 * Numbers of operators in packed rules. Snapshots on disk contain them, so a number never changes. A new operator gets the
 * next number.
 */
const OPERATOR_CODES = {
  equals: 0,
  not_equals: 1,
  in: 2,
  not_in: 3,
  contains: 4,
  not_contains: 5,
  starts_with: 6,
  ends_with: 7,
  regex: 8,
  greater_than: 9,
  less_than: 10,
  greater_equal: 11,
  less_equal: 12,
  between: 13,
  ip_range: 14,
  exists: 15,
  not_exists: 16,
} as const satisfies Record<Operator, number>;

/** Names by number, and numbers by name. */
interface Codes<Name extends string> {
  readonly codeOf: Readonly<Record<Name, number>>;
  /** Returns the name of a number. Lines of an older release contain the name itself. */
  nameOf(code: unknown): Name;
}

export const attributeCodes: Codes<Attribute> = createCodes(
  Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, { code }]) => [name, code])) as Record<
    Attribute,
    number
  >,
);
export const operatorCodes: Codes<Operator> = createCodes(OPERATOR_CODES);

function createCodes<Name extends string>(codeOf: Readonly<Record<Name, number>>): Codes<Name> {
  const names: Name[] = [];
  for (const name in codeOf) names[codeOf[name]] = name;
  // The reader of a line on disk checks the names of its rules.
  return { codeOf, nameOf: (code) => (typeof code === 'number' ? names[code] : code) as Name };
}

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
  const packed: PackedRule = [id, conditionLogic === 'AND' ? AND : conditionLogic, packAction(action), dates];
  for (const condition of conditions) {
    const { attribute, operator, value } = condition;
    const { [attribute]: attributeCode } = attributeCodes.codeOf;
    const { [operator]: operatorCode } = operatorCodes.codeOf;
    packed.push(attributeCode, operatorCode, value ?? null, qualifierOf(condition));
  }
  return packed;
}

function packAction(action: RuleAction): string | RuleAction {
  for (const name in action) if (name !== 'type' && name !== 'url') return action;
  return action.type === 'redirect' ? action.url : action;
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
  const [id, logic, packedAction, dates] = packed;
  const conditionLogic = logic === AND ? 'AND' : logic;
  const action: RuleAction =
    typeof packedAction === 'string' ? { type: 'redirect', url: packedAction } : packedAction;
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
  const attribute = attributeCodes.nameOf(packed[at]);
  const operator = operatorCodes.nameOf(packed[at + 1]);
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
