import { isObject, type JsonSchema, mapSubschemas } from './json-schema.js';
import { pascalCase, singular } from './names.js';

/** Minimum size of a repeated schema without a title that becomes a component, in characters of JSON. */
const MIN_REPEATED_LENGTH = 80;
/** Minimum number of places, for a schema that is no object. */
const MIN_REPEATED_VALUES = 3;
/** Property names that do not describe a shape. */
const GENERAL_NAMES = new Set([
  'data',
  'meta',
  'items',
  'item',
  'result',
  'value',
  'summary',
  'change',
  'rows',
]);

interface Shape {
  count: number;
  title: string | undefined;
  /** Whether it is the whole body of a request or a response. */
  isBody: boolean;
  readonly isStructure: boolean;
  readonly type: unknown;
  /** Names from the most to the least preferred one. */
  readonly candidates: string[];
}

/** Collects the shapes of a document, and replaces them by references to named components. */
export interface ComponentNames {
  /**
   * Counts the schema of a body and its nested schemas.
   *
   * @param name name of the component if the schema has no `title`; a list stays inline
   */
  add(schema: JsonSchema, name: string): void;
  /** Returns the schema with references. Every schema must have been added before. */
  referTo(schema: JsonSchema): JsonSchema;
  /** Returns the components that were referred to, by name. */
  components(): Record<string, JsonSchema>;
}

/**
 * A shape with a `title` is the component of that name. Bodies are named by their operations, and other shapes that are
 * repeated by the property that has them.
 */
export function createComponentNames(): ComponentNames {
  const shapes = new Map<string, Shape>();
  const components = new Map<string, JsonSchema>();
  let names: ReadonlyMap<string, string> | undefined;

  function add(schema: JsonSchema, owner: string, property: string | undefined): Shape {
    const key = keyOf(schema);
    const shape = shapes.get(key) ?? newShape(schema);
    shapes.set(key, shape);
    shape.count += 1;
    if (typeof schema.title === 'string') shape.title = schema.title;
    if (property !== undefined && isRepeatable(schema)) {
      shape.candidates.push(...(shape.isStructure ? candidatesOf(owner, property) : [pascalCase(property)]));
    }
    // A repeated structure has its members once.
    if (shape.count > 1 && shape.isStructure) return shape;
    const listed = schema.type === 'array' ? singular(property ?? '') : property;
    mapSubschemas(schema, (member, name) => {
      add(member, shape.title ?? owner, name ?? listed);
      return member;
    });
    return shape;
  }

  /** Returns the names of all components by the keys of their shapes. */
  function chooseNames(): ReadonlyMap<string, string> {
    const chosen = new Map<string, string>();
    const taken = new Set<string>();
    const choose = (key: string, name: string) => {
      taken.add(name);
      chosen.set(key, name);
    };
    for (const [key, { title }] of shapes) {
      if (title === undefined) continue;
      if (taken.has(title)) {
        throw new Error(
          `Two different schemas have the title ${title}. Give one of them another title: it names a component of the OpenAPI document.`,
        );
      }
      choose(key, title);
    }
    for (const [key, shape] of shapes) {
      if (shape.title !== undefined || !(shape.isBody || isRepeated(shape))) continue;
      const name = candidateNames(shape).find((candidate) => !taken.has(candidate));
      if (name !== undefined) choose(key, name);
    }
    return chosen;
  }

  function referTo(schema: JsonSchema): JsonSchema {
    names ??= chooseNames();
    const name = names.get(keyOf(schema));
    if (name === undefined) return mapSubschemas(schema, referTo);
    if (!components.has(name)) {
      const { title: _title, ...shape } = schema;
      components.set(name, mapSubschemas(shape, referTo));
    }
    const { description } = schema;
    const $ref = `#/components/schemas/${name}`;
    return description === undefined || description === components.get(name)?.description
      ? { $ref }
      : { $ref, description };
  }

  return {
    add(schema, name) {
      const shape = add(schema, name, undefined);
      if (!isStructure(schema)) return;
      shape.isBody = true;
      shape.candidates.unshift(name);
    },
    referTo,
    components: () => Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function newShape(schema: JsonSchema): Shape {
  return {
    count: 0,
    title: undefined,
    isBody: false,
    isStructure: isStructure(schema),
    type: schema.type,
    candidates: [],
  };
}

/** Returns the names of a shape. A number with the name of a structure is a count: `HitCount` of `hits`. */
function candidateNames({ candidates, isStructure, type }: Shape): readonly string[] {
  return isStructure || type !== 'integer'
    ? candidates
    : [...candidates, ...candidates.map((name) => `${singular(name)}Count`)];
}

/** A value of properties with several names is not a component, because no name would fit. */
function isRepeated({ isStructure, count, candidates: [name, ...others] }: Shape): boolean {
  if (isStructure) return count > 1;
  const misfits = others.filter((other) => other !== name).length;
  return count >= MIN_REPEATED_VALUES && misfits <= others.length / 4;
}

/** Common parts of two uses of a component. The descriptions may differ if there is a title, or members. */
function keyOf(schema: JsonSchema): string {
  const { title: _title, description: _description, ...shape } = schema;
  const isNamed = isStructure(schema) || schema.title !== undefined;
  return JSON.stringify(isNamed ? shape : { ...shape, description: schema.description });
}

function isStructure({ properties, oneOf }: JsonSchema): boolean {
  return isObject(properties) || Array.isArray(oneOf);
}

const isRepeatable = (schema: JsonSchema) =>
  schema.type !== 'array' && keyOf(schema).length >= MIN_REPEATED_LENGTH;

function candidatesOf(owner: string, property: string): string[] {
  const name = pascalCase(property);
  const inOwner = owner + name;
  return GENERAL_NAMES.has(property) || name === '' ? [inOwner] : [name, inOwner];
}
