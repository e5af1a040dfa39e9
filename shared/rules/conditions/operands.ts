import type { RuleCondition } from '../rule-definition.js';
import { type AddressRange, addressRangeOf, parseAddressRange } from './address-range.js';

/** The values of a condition as texts, one, several or none. */
export function operandTexts({ value }: Pick<RuleCondition, 'value'>): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value.map(String) : [String(value)];
}

/** The first and the last value of a condition as texts: the same one when it has only one, empty without any. */
export function operandEnds(condition: Pick<RuleCondition, 'value'>): readonly [first: string, last: string] {
  const texts = operandTexts(condition);
  return [texts[0] ?? '', texts.at(-1) ?? ''];
}

/** The range that the value of an `ip_range` stands for; undefined when it is none. */
export function addressRangeOperand(value: unknown): AddressRange | undefined {
  if (typeof value === 'string') return parseAddressRange(value);
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [first, last]: readonly unknown[] = value;
  return typeof first === 'string' && typeof last === 'string' ? addressRangeOf(first, last) : undefined;
}
