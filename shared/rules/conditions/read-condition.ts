import {
  ATTRIBUTES,
  type Attribute,
  isAttribute,
  isClockAttribute,
  isOperator,
  type Operator,
} from '../attributes.js';
import type { RuleCondition } from '../rule-definition.js';
import { isTimeZone } from '../time-zone.js';
import type { ConditionFault, ConditionInput, ConditionResult } from './condition-result.js';
import { valueFault } from './value-fault.js';

const MAX_PARAM_LENGTH = 200;

/** Reads a condition. It does not check the pattern of a `regex`. */
export function readCondition(input: ConditionInput): ConditionResult {
  const fault = conditionFault(input);
  if (fault !== undefined) return { ok: false, ...fault };
  const { attribute, operator, value, param, timezone } = input;
  // Without a fault, the unknown members have the types of a condition.
  const condition = {
    attribute,
    operator,
    ...(takesValue(operator as Operator) && { value }),
    ...(param !== undefined && { param }),
    ...(timezone !== undefined && { timezone }),
  };
  return { ok: true, condition: condition as RuleCondition };
}

/**
 * Returns the first fault of a condition. Does not check a `regex` pattern. Allocates nothing for a valid condition.
 */
export function conditionFault({
  attribute,
  operator,
  value,
  param,
  timezone,
}: ConditionInput): ConditionFault | undefined {
  if (typeof attribute !== 'string' || !isAttribute(attribute)) {
    return fault('attribute', `attribute must be one of ${Object.keys(ATTRIBUTES).join(', ')}.`);
  }
  if (!isOperatorOf(attribute, operator)) {
    const accepted = ATTRIBUTES[attribute].operators.join(', ');
    return fault('operator', `operator must be one that ${attribute} takes: ${accepted}.`);
  }
  return (
    valueFault(attribute, operator, value) ??
    paramFault(attribute, param) ??
    timezoneFault(attribute, timezone)
  );
}

function fault(path: string, message: string): ConditionFault {
  return { path, message };
}

function isOperatorOf(attribute: Attribute, operator: unknown): operator is Operator {
  if (typeof operator !== 'string' || !isOperator(operator)) return false;
  const operators: readonly Operator[] = ATTRIBUTES[attribute].operators;
  return operators.includes(operator);
}

function takesValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'not_exists';
}

function paramFault(attribute: Attribute, param: unknown): ConditionFault | undefined {
  if (attribute !== 'query_param') {
    if (param === undefined) return undefined;
    return fault('param', `param must be left out: ${attribute} has none, only query_param does.`);
  }
  if (typeof param === 'string' && param.length >= 1 && param.length <= MAX_PARAM_LENGTH) return undefined;
  return fault(
    'param',
    `param must be the name of the query parameter, of 1 to ${MAX_PARAM_LENGTH} characters.`,
  );
}

function timezoneFault(attribute: Attribute, timezone: unknown): ConditionFault | undefined {
  if (timezone === undefined) return undefined;
  if (!isClockAttribute(attribute)) {
    const accepted = 'only hour_of_day and day_of_week take one';
    return fault('timezone', `timezone must be left out: ${attribute} has none, ${accepted}.`);
  }
  if (typeof timezone === 'string' && isTimeZone(timezone)) return undefined;
  return fault(
    'timezone',
    'timezone must be the IANA name of a time zone, such as "Europe/Berlin" or "UTC".',
  );
}
