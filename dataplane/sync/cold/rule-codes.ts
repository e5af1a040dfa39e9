import { ATTRIBUTES, type Attribute, type Operator } from '../../../shared/rules/attributes.js';

/**
 * Numbers of operators in packed rules. Snapshots on disk contain them, so a number never changes. A new operator gets the
 * next number.
 */
const OPERATOR_CODES = {
  equals: 0,
  not_equals: 1,
  in: 2,
  not_in: 3,
  contains: 4,
  not_contains: 5,
  starts_with: 6,
  ends_with: 7,
  regex: 8,
  greater_than: 9,
  less_than: 10,
  greater_equal: 11,
  less_equal: 12,
  between: 13,
  ip_range: 14,
  exists: 15,
  not_exists: 16,
} as const satisfies Record<Operator, number>;

/** Names by number, and numbers by name. */
interface Codes<Name extends string> {
  readonly codeOf: Readonly<Record<Name, number>>;
  /** Returns the name of a number. Lines of an older release contain the name itself. */
  nameOf(code: unknown): Name;
}

export const attributeCodes: Codes<Attribute> = createCodes(
  Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, { code }]) => [name, code])) as Record<
    Attribute,
    number
  >,
);
export const operatorCodes: Codes<Operator> = createCodes(OPERATOR_CODES);

function createCodes<Name extends string>(codeOf: Readonly<Record<Name, number>>): Codes<Name> {
  const names: Name[] = [];
  for (const name in codeOf) names[codeOf[name]] = name;
  // The reader of a line on disk checks the names of its rules.
  return { codeOf, nameOf: (code) => (typeof code === 'number' ? names[code] : code) as Name };
}
