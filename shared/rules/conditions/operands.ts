import type { RuleCondition } from '../rule-definition.js';
import { type AddressRange, addressRangeOf, parseAddressRange } from './address-range.js';

/** Returns the values of a condition as texts: one, several or none. */
export function operandTexts({ value }: Pick<RuleCondition, 'value'>): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map(String) : [String(value)];
}

/**
 * Returns the first and the last value of a condition as texts. They are equal for a single value, and empty without
 * any.
 */
export function operandEnds(condition: Pick<RuleCondition, 'value'>): readonly [first: string, last: string] {
  const texts = operandTexts(condition);
  return [texts[0] ?? '', texts.at(-1) ?? ''];
}

/** Returns the range of an `ip_range` value; undefined when it is invalid. */
export function addressRangeOperand(value: unknown): AddressRange | undefined {
  if (typeof value === 'string') return parseAddressRange(value);
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [first, last]: readonly unknown[] = value;
  return typeof first === 'string' && typeof last === 'string' ? addressRangeOf(first, last) : undefined;
}
