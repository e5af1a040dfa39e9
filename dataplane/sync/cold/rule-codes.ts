import type { Attribute, Operator } from '../../../shared/rules/attributes.js';

/**
 * Numbers of attributes and operators in packed rules. Snapshots on disk contain them, so a number never changes its
 * meaning: new names get the next number.
 */
const ATTRIBUTE_CODES = {
  country: 0,
  region: 1,
  city: 2,
  device_type: 3,
  device_brand: 4,
  device_model: 5,
  browser_name: 6,
  browser_version: 7,
  os_name: 8,
  os_version: 9,
  referrer: 10,
  referrer_domain: 11,
  hour_of_day: 12,
  day_of_week: 13,
  language: 14,
  url_path: 15,
  query_param: 16,
  user_agent: 17,
  ip_address: 18,
} as const satisfies Record<Attribute, number>;

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

export const attributeCodes: Codes<Attribute> = createCodes(ATTRIBUTE_CODES);
export const operatorCodes: Codes<Operator> = createCodes(OPERATOR_CODES);

function createCodes<Name extends string>(codeOf: Readonly<Record<Name, number>>): Codes<Name> {
  const names: Name[] = [];
  for (const name in codeOf) names[codeOf[name]] = name;
  // Whoever reads a line from a disk checks the names of its rules.
  return { codeOf, nameOf: (code) => (typeof code === 'number' ? names[code] : code) as Name };
}
