import type { Attribute } from '../../../shared/rules/attributes.js';
import {
  BROWSER_NAMES,
  COUNTRIES,
  DEVICE_BRANDS,
  DEVICE_TYPES,
  type KnownValue,
  LANGUAGES,
  OS_NAMES,
} from '../../../shared/visitor/known-values.js';

const HOURS: readonly KnownValue[] = Array.from({ length: 24 }, (_, hour) => {
  const digits = String(hour).padStart(2, '0');
  return { value: String(hour), label: `${digits}:00 to ${digits}:59` };
});

const DAYS: readonly KnownValue[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
].map((label, day) => ({ value: String(day), label }));

const PREDEFINED = new Map<Attribute, readonly KnownValue[]>([
  ['country', COUNTRIES],
  ['device_type', DEVICE_TYPES],
  ['device_brand', DEVICE_BRANDS],
  ['browser_name', BROWSER_NAMES],
  ['os_name', OS_NAMES],
  ['hour_of_day', HOURS],
  ['day_of_week', DAYS],
  ['language', LANGUAGES],
]);

const LABELS = new Map(
  [...PREDEFINED].map(([attribute, values]) => [
    attribute,
    new Map(values.map(({ value, label }) => [value, label])),
  ]),
);

/** Returns the usual values of an attribute, in the order in which they are shown; empty without any. */
export function predefinedValues(attribute: Attribute): readonly KnownValue[] {
  return PREDEFINED.get(attribute) ?? [];
}

/** Returns the label of a predefined value, otherwise the value. */
export function labelOf(attribute: Attribute, value: string): string {
  return LABELS.get(attribute)?.get(value) ?? value;
}
