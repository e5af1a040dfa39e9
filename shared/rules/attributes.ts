/** How the values of an attribute are compared. `version` is segment by segment, as numbers. */
export type AttributeType = 'string' | 'version' | 'number' | 'string or number' | 'ip';

const EQUALITY = ['equals', 'not_equals', 'in', 'not_in'] as const;
const PRESENCE = ['exists', 'not_exists'] as const;
const ORDER = ['greater_than', 'less_than', 'greater_equal', 'less_equal', 'between'] as const;
const TEXT = ['contains', 'not_contains', 'starts_with', 'ends_with', 'regex'] as const;

const CHOICE_OPERATORS = [...EQUALITY, ...PRESENCE];
const TEXT_OPERATORS = [...EQUALITY, ...TEXT, ...PRESENCE];
const VERSION_OPERATORS = [...EQUALITY, 'starts_with', ...ORDER, ...PRESENCE] as const;

/** The 17 operators. */
export type Operator =
  | (typeof EQUALITY)[number]
  | (typeof PRESENCE)[number]
  | (typeof ORDER)[number]
  | (typeof TEXT)[number]
  | 'ip_range';

interface AttributeTraits {
  readonly type: AttributeType;
  readonly operators: readonly Operator[];
}

/**
 * The attributes of visitors that conditions can test, with their operators. The API and the matcher both follow this
 * list.
 */
export const ATTRIBUTES = {
  country: { type: 'string', operators: CHOICE_OPERATORS },
  region: { type: 'string', operators: TEXT_OPERATORS },
  city: { type: 'string', operators: TEXT_OPERATORS },
  device_type: { type: 'string', operators: CHOICE_OPERATORS },
  device_brand: { type: 'string', operators: TEXT_OPERATORS },
  device_model: { type: 'string', operators: TEXT_OPERATORS },
  browser_name: { type: 'string', operators: TEXT_OPERATORS },
  browser_version: { type: 'version', operators: VERSION_OPERATORS },
  os_name: { type: 'string', operators: TEXT_OPERATORS },
  os_version: { type: 'version', operators: VERSION_OPERATORS },
  referrer: { type: 'string', operators: TEXT_OPERATORS },
  referrer_domain: { type: 'string', operators: TEXT_OPERATORS },
  hour_of_day: { type: 'number', operators: [...EQUALITY, ...ORDER] },
  day_of_week: { type: 'number', operators: [...EQUALITY, ...ORDER] },
  language: { type: 'string', operators: [...EQUALITY, 'starts_with', ...PRESENCE] },
  url_path: { type: 'string', operators: TEXT_OPERATORS },
  query_param: { type: 'string or number', operators: [...TEXT_OPERATORS, ...ORDER] },
  user_agent: { type: 'string', operators: TEXT_OPERATORS },
  ip_address: { type: 'ip', operators: [...EQUALITY, 'ip_range'] },
} as const satisfies Record<string, AttributeTraits>;

/** The 19 attributes. */
export type Attribute = keyof typeof ATTRIBUTES;

/** Attributes that are read from a clock. */
export type ClockAttribute = 'hour_of_day' | 'day_of_week';

/** Attributes that a hit has one text of, or none. */
export type TextAttribute = Exclude<Attribute, ClockAttribute | 'query_param' | 'ip_address'>;

/** Text attributes of which a visitor, too, has no more than one text. */
export type SingleTextAttribute = Exclude<TextAttribute, 'referrer_domain'>;

/** All operators, in the order in which they are shown. */
export const OPERATORS = [
  ...EQUALITY,
  ...TEXT,
  ...ORDER,
  'ip_range',
  ...PRESENCE,
] as const satisfies Operator[];

export function isAttribute(name: string): name is Attribute {
  return Object.hasOwn(ATTRIBUTES, name);
}

export function isClockAttribute(attribute: Attribute): attribute is ClockAttribute {
  return attribute === 'hour_of_day' || attribute === 'day_of_week';
}

export function isOperator(name: string): name is Operator {
  return (OPERATORS as readonly string[]).includes(name);
}
