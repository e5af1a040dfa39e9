import type { Operator } from '../attributes.js';

/** The negative operators, each with its positive counterpart. */
const POSITIVE = {
  not_equals: 'equals',
  not_in: 'in',
  not_contains: 'contains',
  not_exists: 'exists',
} as const satisfies Partial<Record<Operator, Operator>>;

export type NegativeOperator = keyof typeof POSITIVE;
export type PositiveOperator = Exclude<Operator, NegativeOperator>;
export type OrderOperator = 'greater_than' | 'less_than' | 'greater_equal' | 'less_equal' | 'between';

export function isNegative(operator: Operator): operator is NegativeOperator {
  return Object.hasOwn(POSITIVE, operator);
}

/** Returns the operator without its negation. */
export function positiveOf(operator: Operator): PositiveOperator {
  return isNegative(operator) ? POSITIVE[operator] : operator;
}

const ORDER_OPERATORS: readonly Operator[] = [
  'greater_than',
  'less_than',
  'greater_equal',
  'less_equal',
  'between',
] satisfies OrderOperator[];

export function isOrderOperator(operator: Operator): operator is OrderOperator {
  return ORDER_OPERATORS.includes(operator);
}

/**
 * Returns whether a comparison satisfies `operator`. `toFirst` is negative, 0 or positive if the value is below, equal
 * to or above the first operand. `toLast` is the same for the second operand of `between`. NaN satisfies no operator.
 */
export function isInOrder(operator: OrderOperator, toFirst: number, toLast: number): boolean {
  switch (operator) {
    case 'greater_than':
      return toFirst > 0;
    case 'less_than':
      return toFirst < 0;
    case 'greater_equal':
      return toFirst >= 0;
    case 'less_equal':
      return toFirst <= 0;
    case 'between':
      return toFirst >= 0 && toLast <= 0;
  }
}
