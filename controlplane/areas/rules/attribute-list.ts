import { ATTRIBUTES, type Attribute, isClockAttribute } from '../../../shared/rules/attributes.js';
import {
  BROWSER_NAMES,
  COUNTRIES,
  DEVICE_BRANDS,
  DEVICE_TYPES,
  type KnownValue,
  LANGUAGES,
  OS_NAMES,
} from '../../../shared/visitor/known-values.js';
import type { AttributeValue as SeenValue } from '../analytics/public.js';
import { ATTRIBUTE_TEXTS, CATEGORIES, type Category } from './attribute-catalogue.js';
import { OPERATOR_LIST } from './attribute-operators.js';
import type { AttributeList, AttributeRecord, AttributeValue } from './attribute-schema.js';

/** Values in hits of a redirect, the most frequent first; absent for attributes without any. */
export type SeenValues = ReadonlyMap<Attribute, readonly SeenValue[]>;

const ATTRIBUTE_KEYS = Object.keys(ATTRIBUTES) as Attribute[];

/** Returns the attributes that conditions can test, with their operators and values. */
export function attributeList(seen: SeenValues): AttributeList {
  const categories = Object.entries(CATEGORIES).map(([category, texts]) => [
    category,
    { ...texts, attributes: recordsOf(category as Category, seen) },
  ]);
  return { attributes: Object.fromEntries(categories), operators: [...OPERATOR_LIST] };
}

/** Returns all values to choose from, each once: those of hits before the usual ones. */
export function attributeValues(attribute: Attribute, seen: readonly SeenValue[]): AttributeValue[] {
  const seenTexts = new Set(seen.map(({ value }) => value));
  return [
    ...labelled(attribute, seen).map((value) => ({ ...value, source: 'analytics' as const })),
    ...predefinedValues(attribute)
      .filter(({ value }) => !seenTexts.has(value))
      .map((value) => ({ ...value, source: 'predefined' as const })),
  ];
}

function recordsOf(category: Category, seen: SeenValues): AttributeRecord[] {
  return ATTRIBUTE_KEYS.filter((key) => ATTRIBUTE_TEXTS[key].category === category).map((key) => {
    const predefined = predefinedValues(key);
    const available = attributeValues(key, seen.get(key) ?? []);
    return {
      key,
      ...ATTRIBUTE_TEXTS[key],
      type: ATTRIBUTES[key].type,
      operators: [...ATTRIBUTES[key].operators],
      ...(predefined.length > 0 && { predefinedValues: [...predefined] }),
      ...(available.length > 0 && { availableValues: available }),
      ...(key === 'query_param' && { requiresParam: true }),
      ...(isClockAttribute(key) && { acceptsTimezone: true }),
    };
  });
}

function labelled(attribute: Attribute, seen: readonly SeenValue[]) {
  return seen.map(({ value, count }) => ({ value, label: labelOf(attribute, value), count }));
}

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
