import { ATTRIBUTES, type Attribute, isAttribute, isOperator, type Operator } from '../attributes.js';
import type { RuleCondition } from '../rule-definition.js';
import type { ConditionFault, ConditionInput, ConditionResult } from './condition-result.js';
import { valueFault } from './value-fault.js';

const MAX_PARAM_LENGTH = 200;

/** Reads a condition without compiling the pattern of its `regex`, which may be none. */
export function readCondition({ attribute, operator, value, param }: ConditionInput): ConditionResult {
  if (typeof attribute !== 'string' || !isAttribute(attribute)) {
    return refused('attribute', `attribute must be one of ${Object.keys(ATTRIBUTES).join(', ')}.`);
  }
  if (!isOperatorOf(attribute, operator)) {
    const accepted = ATTRIBUTES[attribute].operators.join(', ');
    return refused('operator', `operator must be one that ${attribute} takes: ${accepted}.`);
  }
  const fault = valueFault(attribute, operator, value) ?? paramFault(attribute, param);
  if (fault !== undefined) return { ok: false, ...fault };
  // The checks above are what makes these unknowns a condition.
  const condition = {
    attribute,
    operator,
    ...(takesValue(operator) && { value }),
    ...(param !== undefined && { param }),
  };
  return { ok: true, condition: condition as RuleCondition };
}

function refused(path: string, message: string): ConditionResult {
  return { ok: false, path, message };
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
    return {
      path: 'param',
      message: `param must be left out: ${attribute} has none, only query_param does.`,
    };
  }
  if (typeof param === 'string' && param.length >= 1 && param.length <= MAX_PARAM_LENGTH) return undefined;
  return {
    path: 'param',
    message: `param must be the name of the query parameter, of 1 to ${MAX_PARAM_LENGTH} characters.`,
  };
}
