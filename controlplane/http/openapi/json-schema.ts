/** A JSON Schema, or another object of the document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', '$defs'];
const LISTS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMAS = ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'];

/**
 * Returns the schema with each direct subschema replaced.
 *
 * @param change gets the subschema and the name of the property that it describes; for items, the name of the list
 */
export function mapSubschemas(
  schema: JsonSchema,
  change: (subschema: JsonSchema, name: string | undefined) => JsonSchema,
): JsonSchema {
  return mapValues(schema, (value, keyword) => {
    if (MAPS_OF_SCHEMAS.includes(keyword) && isObject(value)) {
      return mapValues(value, (member, name) => (isObject(member) ? change(member, name) : member));
    }
    if (LISTS_OF_SCHEMAS.includes(keyword) && Array.isArray(value)) {
      return value.map((member: unknown) => (isObject(member) ? change(member, undefined) : member));
    }
    return SCHEMAS.includes(keyword) && isObject(value) ? change(value, undefined) : value;
  });
}

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
