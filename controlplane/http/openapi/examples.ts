import { EXAMPLE_VALUES } from './example-values.js';
import { isObject, type JsonSchema, mapSubschemas } from './json-schema.js';
import { singular } from './names.js';

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T09:30:00.000Z',
  date: '2026-01-15',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};

const MAX_OPTIONAL_OBJECTS = 4;

/** Value of a text without an example in its schema or by its name. A test refuses it. */
export const NO_EXAMPLE = '<no example>';

export type Components = Readonly<Record<string, JsonSchema>>;

/**
 * Returns a value of the schema: its example, or a value composed of the examples of its members.
 *
 * @param name name of the property that the schema describes; see {@link EXAMPLE_VALUES}
 * @param components components that the schema may refer to
 */
export function exampleOf(schema: JsonSchema, name: string, components: Components): unknown {
  if (typeof schema.$ref === 'string') {
    const component = components[schema.$ref.split('/').at(-1) ?? ''];
    return component === undefined ? NO_EXAMPLE : exampleOf(component, name, components);
  }
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) {
    const values: readonly unknown[] = schema.enum;
    return values.includes(EXAMPLE_VALUES[name]) ? EXAMPLE_VALUES[name] : values[0];
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives)) return exampleOf(alternatives[0] as JsonSchema, name, components);
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part: JsonSchema) => exampleOf(part, name, components)));
  }
  return exampleOfType(schema, name, components);
}

function exampleOfType(schema: JsonSchema, name: string, components: Components): unknown {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  switch (types[0]) {
    case 'object':
      return objectExample(schema, components);
    case 'array':
      return isObject(schema.items) ? [exampleOf(schema.items, singular(name), components)] : [];
    case 'boolean':
      return schema.default ?? true;
    case 'integer':
    case 'number':
      return numberExample(schema, name);
    case 'string':
      return textExample(schema, name);
    default:
      return EXAMPLE_VALUES[name] ?? null;
  }
}

/** Returns an example of all members. It includes only the first of many optional members that are objects. */
function objectExample(
  { properties, required = [] }: JsonSchema,
  components: Components,
): Record<string, unknown> {
  if (!isObject(properties)) return {};
  const members = Object.entries(properties) as [name: string, schema: JsonSchema][];
  const isOptional = ([name, member]: (typeof members)[number]) =>
    ('$ref' in member || isObject(member.properties)) && !(required as readonly string[]).includes(name);
  const optional = members.filter(isOptional);
  const shown = optional.length > MAX_OPTIONAL_OBJECTS ? [optional[0]] : optional;
  return Object.fromEntries(
    members
      .filter((member) => !isOptional(member) || shown.includes(member))
      .map(([name, member]) => [name, exampleOf(member, name, components)]),
  );
}

function numberExample(
  { minimum, maximum, exclusiveMinimum, default: given }: JsonSchema,
  name: string,
): unknown {
  if (given !== undefined) return given;
  const named = EXAMPLE_VALUES[name];
  const value = typeof named === 'number' ? named : 12;
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? value : Number(exclusiveMinimum) + 1));
  return Math.min(Math.max(value, least), Number(maximum ?? value));
}

function textExample({ format, default: given }: JsonSchema, name: string): unknown {
  if (typeof given === 'string') return given;
  const named = EXAMPLE_VALUES[name];
  return BY_FORMAT[String(format)] ?? (typeof named === 'string' ? named : NO_EXAMPLE);
}

/**
 * Returns a component with examples at its texts. Tools compose the examples of bodies from them. No example is written
 * twice. Members with a self-explanatory type have no example.
 *
 * @param name name of the property that the schema describes
 */
export function withExamples(schema: JsonSchema, name = ''): JsonSchema {
  if ('$ref' in schema || 'examples' in schema) return schema;
  if (isPlainText(schema)) {
    const example = exampleOf(schema, name, {});
    return example === NO_EXAMPLE ? schema : { ...schema, examples: [example] };
  }
  return mapSubschemas(schema, (member, property) => withExamples(member, property ?? singular(name)));
}

/** Returns the example of a parameter that is a text without a default, if its name has one. */
export function parameterExample(schema: JsonSchema, name: string): unknown {
  if (!isPlainText(schema) || 'default' in schema || 'examples' in schema) return undefined;
  const named = EXAMPLE_VALUES[name];
  return typeof named === 'number' ? String(named) : named;
}

/** Returns whether tools that generate examples cannot know the form of such a text. */
function isPlainText({ type, format, enum: values, const: only }: JsonSchema): boolean {
  const isText = type === 'string' || (Array.isArray(type) && type[0] === 'string');
  return isText && format === undefined && values === undefined && only === undefined;
}
