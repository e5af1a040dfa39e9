import type { JsonSchema } from '../../controlplane/http/openapi/json-schema.js';

const COMPONENT = '#/components/schemas/';
/** Maximum size of an object on one line. */
const MAX_LINE = 64;
const MAX_MEMBERS = 3;

/** Returns the TypeScript type of a JSON Schema. Keywords that types cannot express, such as lengths, are left out. */
export function typeOf(schema: JsonSchema, indent: string): string {
  if (typeof schema.$ref === 'string') return schema.$ref.slice(COMPONENT.length);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  // Beside a complete type, alternatives only restrict it.
  const isComplete = schema.type !== undefined && (schema.type !== 'object' || 'properties' in schema);
  const alternatives = isComplete ? undefined : (schema.anyOf ?? schema.oneOf);
  if (Array.isArray(alternatives)) {
    return union((alternatives as JsonSchema[]).map((one) => typeOf(one, indent)));
  }
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type: unknown) => typeOf({ ...schema, type } as JsonSchema, indent)));
  }
  return typeOfKind(schema, indent);
}

function typeOfKind(schema: JsonSchema, indent: string): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const { minItems, maxItems } = schema;
      const item = typeOf((schema.items ?? {}) as JsonSchema, indent);
      // Pairs, such as the bounds of an interval.
      if (minItems === 2 && maxItems === 2) return `[${item}, ${item}]`;
      return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case 'object':
      return isObject(schema)
        ? objectOf(memberLines(schema, `${indent}  `, ''), indent)
        : recordOf(schema, indent);
    default:
      return 'unknown';
  }
}

function recordOf({ additionalProperties, patternProperties }: JsonSchema, indent: string): string {
  const values = additionalProperties || Object.values((patternProperties ?? {}) as object)[0];
  const type = typeof values === 'object' ? typeOf(values as JsonSchema, indent) : 'unknown';
  return `Record<string, ${type}>`;
}

/** Returns the type of an object with these members. A few short ones are on one line. */
export function objectOf(members: readonly string[], indent: string): string {
  if (members.length === 0) return 'Record<string, never>';
  const texts = members.map((member) => member.trim().replace(/\n */, ' ').replace(/;$/, ''));
  const line = `{ ${texts.join('; ')} }`;
  const isPlain = members.length <= MAX_MEMBERS && !line.includes('\n');
  const isShort = isPlain && line.length <= MAX_LINE && (members.length === 1 || !line.includes('/**'));
  return isShort ? line : `{\n${members.join('')}${indent}}`;
}

/** Whether the type of a schema has named members. */
export const isObject = (schema: JsonSchema) => schema.type === 'object' && schema.properties !== undefined;

/**
 * Returns the text of each member of an object with the properties of `schema`.
 *
 * @param optional added to the types of optional members
 */
export function memberLines(schema: JsonSchema, indent: string, optional: string): string[] {
  const required = new Set(schema.required as readonly string[] | undefined);
  return Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>).map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(property, indent);
    const member = required.has(name) ? `${key}: ${type}` : `${key}?: ${type}${optional}`;
    return `${comment(property.description, indent)}${indent}${member};\n`;
  });
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

/** Returns a doc comment of a description, or nothing. */
export function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text === '') return '';
  return `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', `\n${indent} * `)} */\n`;
}
