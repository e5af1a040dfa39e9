import { isAttribute, isOperator } from './attributes.js';
import { isObject } from './is-object.js';
import { isRedirectStatusCode } from './redirect-status.js';
import type { RuleDefinition } from './rule-definition.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns whether `value` has the structure of a rule: all members are present and have their types. The content is
 * not checked; a rule with invalid content never matches.
 */
export function isRuleDefinition(value: unknown): value is RuleDefinition {
  if (!isObject(value)) return false;
  const { id, conditionLogic, conditions, action, startMs, endMs } = value;
  return (
    Number.isSafeInteger(id) &&
    Number(id) > 0 &&
    (conditionLogic === 'AND' || conditionLogic === 'OR') &&
    isListOf(conditions, isCondition) &&
    isAction(action) &&
    (startMs === undefined || isNumber(startMs)) &&
    (endMs === undefined || isNumber(endMs))
  );
}

function isCondition(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { attribute, operator, value: compared, param, timezone } = value;
  return (
    typeof attribute === 'string' &&
    isAttribute(attribute) &&
    typeof operator === 'string' &&
    isOperator(operator) &&
    (compared === undefined || isConditionValue(compared) || isListOf(compared, isConditionValue)) &&
    isAbsentOr('string', param) &&
    isAbsentOr('string', timezone)
  );
}

function isConditionValue(value: unknown): boolean {
  return typeof value === 'string' || isNumber(value);
}

function isAction(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'redirect':
      return isTarget(value);
    case 'percentage_redirect':
      return isShare(value) && isStickyOrAbsent(value.sticky);
    case 'ab_test':
      return isListOf(value.variants, isVariant) && hasOptions(value) && isStickyOrAbsent(value.sticky);
    default:
      return false;
  }
}

function isVariant(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string' && isShare(value);
}

function isShare(value: Members): boolean {
  return isNumber(value.percentage) && isTarget(value);
}

function isTarget(value: Members): boolean {
  return typeof value.url === 'string' && hasOptions(value);
}

function hasOptions({ pathForwarding, queryForwarding, statusCode }: Members): boolean {
  return (
    isAbsentOr('boolean', pathForwarding) &&
    isAbsentOr('boolean', queryForwarding) &&
    (statusCode === undefined || isRedirectStatusCode(statusCode))
  );
}

function isStickyOrAbsent(value: unknown): boolean {
  return value === undefined || value === 'cookie' || value === 'visitor' || value === 'none';
}

/** JSON.parse reads a number that is too great as infinity, and JSON cannot write infinity. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isAbsentOr(type: 'string' | 'boolean', value: unknown): boolean {
  return value === undefined || typeof value === type;
}

function isListOf(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isElement);
}
