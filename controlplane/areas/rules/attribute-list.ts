import { ATTRIBUTES, type Attribute, isClockAttribute } from '../../../shared/rules/attributes.js';
import type { AttributeValue as SeenValue } from '../analytics/public.js';
import { ATTRIBUTE_TEXTS, CATEGORIES, type Category } from './attribute-catalogue.js';
import { OPERATOR_LIST } from './attribute-operators.js';
import { labelOf, predefinedValues } from './attribute-predefined.js';
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
