import type { Attribute, Operator } from '../attributes.js';
import type { ConditionFault } from './condition-result.js';
import { addressRangeOperand } from './operands.js';
import { type ValueKind, valueKindOf } from './value-kind.js';

const MAX_LIST_LENGTH = 1_000;

const RANGE_FAULT = fault(
  'value must be a CIDR such as "10.0.0.0/8", a range such as "10.0.0.1-10.0.0.9", or a list of its first and ' +
    'last address; both of one family (IPv4 or IPv6), the first not above the last.',
);

/** Returns the first fault in the value of a condition. Its operator must fit its attribute. */
export function valueFault(
  attribute: Attribute,
  operator: Operator,
  value: unknown,
): ConditionFault | undefined {
  switch (operator) {
    case 'exists':
    case 'not_exists':
      return undefined;
    case 'ip_range':
      return addressRangeOperand(value) === undefined ? RANGE_FAULT : undefined;
    case 'in':
    case 'not_in':
      return listFault(valueKindOf(attribute, operator), value);
    case 'between':
      return pairFault(valueKindOf(attribute, operator), value);
    default:
      return singleFault(valueKindOf(attribute, operator), value);
  }
}

function fault(message: string, path = 'value'): ConditionFault {
  return { path, message };
}

function singleFault(kind: ValueKind, value: unknown): ConditionFault | undefined {
  return isOf(kind, value) ? undefined : fault(`value must be ${kind.expected}.`);
}

function listFault(kind: ValueKind, value: unknown): ConditionFault | undefined {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_LIST_LENGTH) {
    return fault(`value must be a list of 1 to ${MAX_LIST_LENGTH} values, each ${kind.expected}.`);
  }
  return entryFault(kind, value);
}

function pairFault(kind: ValueKind, value: unknown): ConditionFault | undefined {
  if (!Array.isArray(value) || value.length !== 2) {
    return fault(`value must be a list of exactly 2 values, each ${kind.expected}.`);
  }
  const wrong = entryFault(kind, value);
  if (wrong !== undefined || kind.compare === undefined) return wrong;
  const [first, last] = value.map(String);
  if (kind.compare(first ?? '', last ?? '') <= 0) return undefined;
  return fault('value must be a list of 2 values of which the first is not above the second.');
}

function entryFault(kind: ValueKind, values: readonly unknown[]): ConditionFault | undefined {
  const index = values.findIndex((value) => !isOf(kind, value));
  return index === -1 ? undefined : fault(`Each value must be ${kind.expected}.`, `value.${index}`);
}

function isOf(kind: ValueKind, value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && kind.accepts(value);
  return typeof value === 'string' && kind.accepts(value);
}
