import type { Attribute, Operator } from './attributes.js';
import { type NaiveOutcome, outcomeOf } from './naive-choice.fixture.js';
import { isInRange, orderOfBeginning, orderOfVersions, sameAddress } from './naive-order.fixture.js';
import type { ConditionValue, RuleCondition, RuleDefinition } from './rule-definition.js';
import { methodOf, type TestVisitorTraits } from './visitor.fixture.js';

/**
 * Decides a visitor's rules in the simplest way: the first active rule within its dates that matches. It goes through
 * rules, conditions and values one by one. It shares no code with the compiled rules, so that tests can compare the
 * two. Rules must be valid.
 */
export function interpretRules(
  rules: readonly RuleDefinition[],
  visitor: TestVisitorTraits,
): NaiveOutcome | undefined {
  const rule = rules.find((candidate) => isLive(candidate, visitor) && matches(candidate, visitor));
  return rule === undefined ? undefined : outcomeOf(rule, visitor);
}

function isLive({ startMs, endMs }: RuleDefinition, { nowMs = 0 }: TestVisitorTraits): boolean {
  return !(startMs !== undefined && nowMs < startMs) && !(endMs !== undefined && nowMs > endMs);
}

function matches({ conditions, conditionLogic }: RuleDefinition, visitor: TestVisitorTraits): boolean {
  if (conditions.length === 0) return true;
  if (conditionLogic === 'AND') return conditions.every((condition) => isSatisfied(condition, visitor));
  return conditions.some((condition) => isSatisfied(condition, visitor));
}

/** The negative operators with their positive counterparts. */
const OPPOSITES: Partial<Record<Operator, Operator>> = {
  not_equals: 'equals',
  not_in: 'in',
  not_contains: 'contains',
  not_exists: 'exists',
};

/** Returns whether `visitor` satisfies `condition`. */
export function isSatisfied(condition: RuleCondition, visitor: TestVisitorTraits): boolean {
  const opposite = OPPOSITES[condition.operator];
  if (opposite !== undefined) return !isSatisfied({ ...condition, operator: opposite }, visitor);
  return visitorValues(condition, visitor).some((value) => isSatisfiedBy(value, condition));
}

function isSatisfiedBy(value: string, { attribute, operator, value: expected }: RuleCondition): boolean {
  const [first = '', second = ''] = expectedTexts(expected);
  const text = comparable(attribute, value);
  switch (operator) {
    case 'exists':
      return true;
    case 'equals':
    case 'in':
      return expectedTexts(expected).some((one) => isEqual(attribute, value, one));
    case 'contains':
      return text.includes(comparable(attribute, first));
    case 'starts_with':
      return text.startsWith(comparable(attribute, first));
    case 'ends_with':
      return text.endsWith(comparable(attribute, first));
    case 'regex':
      return new RegExp(first, 'u').test(value);
    case 'greater_than':
      return order(attribute, value, first) > 0;
    case 'less_than':
      return order(attribute, value, first) < 0;
    case 'greater_equal':
      return order(attribute, value, first) >= 0;
    case 'less_equal':
      return order(attribute, value, first) <= 0;
    case 'between':
      return isBetween(attribute, value, first, second);
    case 'ip_range':
      return isInRange(value, expected);
    default:
      throw new Error(`${operator} has an opposite`);
  }
}

/** Returns all values that the visitor has of an attribute; none when it is missing. */
function visitorValues(
  { attribute, param = '', timezone = 'UTC' }: RuleCondition,
  visitor: TestVisitorTraits,
): string[] {
  const clock = timezone === 'UTC' ? visitor : (visitor.clocks?.[timezone.toLowerCase()] ?? {});
  if (attribute === 'hour_of_day') return [String(clock.hourOfDay ?? 0)];
  if (attribute === 'day_of_week') return [String(clock.dayOfWeek ?? 0)];
  if (attribute === 'query_param')
    return [...(new Map(Object.entries(visitor.query ?? {})).get(param) ?? [])];
  if (attribute === 'referrer_domain') return [...(visitor.referrerDomains ?? [])];
  const value = attribute === 'ip_address' ? visitor.address : visitor[methodOf(attribute)];
  return value === undefined ? [] : [value];
}

function expectedTexts(expected: RuleCondition['value']): string[] {
  const values: readonly ConditionValue[] = expected === undefined ? [] : [expected].flat();
  return values.map(String);
}

/** Domains, languages and the escapes of paths are compared regardless of case. */
function comparable(attribute: Attribute, text: string): string {
  if (attribute === 'referrer_domain' || attribute === 'language') return text.toLowerCase();
  if (attribute !== 'url_path') return text;
  const bytes = [...Buffer.from(text)];
  const isPlain = (byte: number) => byte > 0x20 && byte < 0x7f && byte !== 0x23;
  const escaped = (byte: number) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  const onTheWire = bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : escaped(byte))).join('');
  return onTheWire.replace(/%[0-9a-f]{1,2}/gi, (code) => code.toUpperCase());
}

function isEqual(attribute: Attribute, value: string, expected: string): boolean {
  if (attribute === 'ip_address') return sameAddress(value, expected);
  if (isClock(attribute)) return Number(value) === Number(expected);
  if (isVersion(attribute) && orderOfVersions(value, expected) === 0) return true;
  const [text, wanted] = [comparable(attribute, value), comparable(attribute, expected)];
  return text === wanted || (attribute === 'language' && text.split('-')[0] === wanted);
}

function isClock(attribute: Attribute): boolean {
  return attribute === 'hour_of_day' || attribute === 'day_of_week';
}

function isVersion(attribute: Attribute): boolean {
  return attribute === 'browser_version' || attribute === 'os_version';
}

/** Compares two numbers: below, at or above 0; NaN when they cannot be compared. */
function order(attribute: Attribute, value: string, expected: string): number {
  if (isVersion(attribute)) return orderOfBeginning(value, expected);
  return decimal(value) - decimal(expected);
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)$/;

function decimal(text: string): number {
  return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : Number.NaN;
}

function isBetween(attribute: Attribute, value: string, first: string, last: string): boolean {
  const fromFirst = order(attribute, value, first) >= 0;
  const toLast = order(attribute, value, last) <= 0;
  const wraps = isClock(attribute) && Number(first) > Number(last);
  return wraps ? fromFirst || toLast : fromFirst && toLast;
}
