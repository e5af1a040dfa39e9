import type { ErrorObject } from 'ajv';
import type { Validator } from './lazy-schemas.js';

/** Minimum length of a list that is validated in steps, with other requests between them. */
const LONG_LIST_ITEMS = 1_000;
/** Items that take less than a millisecond. */
const ITEMS_PER_STEP = 64;

type Schema = Readonly<Record<string, unknown>>;

/** Validates the items of long lists in steps, and the rest without them. */
export interface LongLists {
  /** Returns whether a body has a list that is validated in steps. */
  concern(schema: object, body: object): boolean;
  /** Validates the items of all lists of a body. Returns the first violation. */
  validateInSteps(schema: object, body: object): Generator<undefined, ErrorObject | undefined>;
  /** Returns the schema by which the rest of a body is validated. */
  restOf(schema: object, body: unknown): object;
}

/** @param validatorOf returns the validator of a schema; the same one for the same schema */
export function createLongLists(validatorOf: (schema: object) => Validator): LongLists {
  const validated = new WeakSet<object>();
  const rests = new WeakMap<object, object>();

  return {
    concern(schema, body) {
      return listsOf(schema, body).some(({ items }) => items.length > LONG_LIST_ITEMS);
    },

    *validateInSteps(schema, body) {
      for (const { name, items, itemSchema } of listsOf(schema, body)) {
        const validate = validatorOf(itemSchema);
        for (const [index, item] of items.entries()) {
          if (index % ITEMS_PER_STEP === 0) yield;
          if (validate(item)) continue;
          const [violation] = validate.errors ?? [];
          if (violation !== undefined) {
            return { ...violation, instancePath: `/${name}/${index}${violation.instancePath}` };
          }
        }
      }
      validated.add(body);
      return undefined;
    },

    restOf(schema, body) {
      if (typeof body !== 'object' || body === null || !validated.has(body)) return schema;
      const known = rests.get(schema);
      if (known !== undefined) return known;
      const rest = withoutItems(schema as Schema);
      rests.set(schema, rest);
      return rest;
    },
  };
}

interface List {
  readonly name: string;
  readonly items: readonly unknown[];
  readonly itemSchema: object;
}

/** Returns the lists that are members of a body and have a schema of their items. */
function listsOf(schema: object, body: object): List[] {
  const members = body as Schema;
  return Object.entries(propertiesOf(schema as Schema)).flatMap(([name, property]) => {
    const items = Object.hasOwn(members, name) ? members[name] : undefined;
    const itemSchema = itemsOf(property);
    return Array.isArray(items) && itemSchema !== undefined ? [{ name, items, itemSchema }] : [];
  });
}

function withoutItems(schema: Schema): object {
  const properties = Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const { items: _, ...rest } = property;
    return [name, itemsOf(property) === undefined ? property : rest];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

function propertiesOf({ properties }: Schema): Readonly<Record<string, Schema>> {
  return Object(properties) as Readonly<Record<string, Schema>>;
}

function itemsOf({ type, items }: Schema): object | undefined {
  return type === 'array' && typeof items === 'object' && items !== null && !Array.isArray(items)
    ? items
    : undefined;
}
