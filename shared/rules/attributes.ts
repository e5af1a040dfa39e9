/**
 * The visitor as rules see it. A method is called only when a rule needs its result. It may be called more than once and
 * returns the same result within one decision. Unknown values are undefined, never empty.
 */
export interface Visitor {
  /** ISO 3166-1 alpha-2, upper-case. */
  country(): string | undefined;
  region(): string | undefined;
  city(): string | undefined;
  /** `mobile`, `tablet`, `desktop`, or another type of the user agent parser. */
  deviceType(): string | undefined;
  deviceBrand(): string | undefined;
  deviceModel(): string | undefined;
  browserName(): string | undefined;
  browserVersion(): string | undefined;
  osName(): string | undefined;
  osVersion(): string | undefined;
  /** Returns the whole `Referer`. */
  referrer(): string | undefined;
  /**
   * Returns the referrer's host without `www.`, and its parent domains up to the registrable domain, lower-case. Empty
   * if there are none.
   */
  referrerDomains(): readonly string[];
  /** Returns the tag of highest quality in `Accept-Language`, as sent. */
  language(): string | undefined;
  /** Returns the path as received, with bytes beyond ASCII percent-encoded. */
  urlPath(): string | undefined;
  userAgent(): string | undefined;
  /** Canonical text: IPv4 dotted, IPv6 compressed and lower-case. */
  address(): string | undefined;
  /** Returns the decoded values of a query parameter in their order; empty if the query does not have it. */
  queryValues(param: string): readonly string[];
  /**
   * 0 to 23.
   *
   * @param timeZone key of the time zone, from `timeZoneKey`; UTC if absent
   */
  hourOfDay(timeZone?: string): number;
  /** 0 (Sunday) to 6. The parameter is that of `hourOfDay`. */
  dayOfWeek(timeZone?: string): number;
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** The value of a cookie. */
  cookie(name: string): string | undefined;
  /** Keyed hash of address and user agent, as in stored hits: 16 hexadecimal digits. */
  visitorId(): string;
  /**
   * Returns a number drawn uniformly from [0, 1).
   *
   * @param seed of the draw; used only if the visitor's draws are repeatable
   */
  draw(seed: number): number;
}

const unknown = () => undefined;

/** Methods of a visitor who only has a URL: everything else is unknown. */
export const UNKNOWN_BESIDE_URL: Omit<
  Visitor,
  'urlPath' | 'queryValues' | 'hourOfDay' | 'dayOfWeek' | 'nowMs' | 'draw'
> = {
  country: unknown,
  region: unknown,
  city: unknown,
  deviceType: unknown,
  deviceBrand: unknown,
  deviceModel: unknown,
  browserName: unknown,
  browserVersion: unknown,
  osName: unknown,
  osVersion: unknown,
  referrer: unknown,
  referrerDomains: () => [],
  language: unknown,
  userAgent: unknown,
  address: unknown,
  cookie: unknown,
  visitorId: () => '',
};

/** Comparison of an attribute's values. `version` compares segments as numbers. */
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

/** Reads one text of a visitor; undefined when it is unknown. */
export type TextReader = (visitor: Visitor) => string | undefined;

interface AttributeTraits {
  /** Number in rulesets on disk. It never changes. A new attribute gets the next number. */
  readonly code: number;
  readonly type: AttributeType;
  readonly operators: readonly Operator[];
  /**
   * Relative cost of reading it. The clock and plain parts of the request come first, then searched parts, then values
   * that need a database or a parser.
   */
  readonly cost: number;
  /** Reads an attribute that has at most one text per visitor. `read-attribute.ts` reads the others. */
  readonly read?: TextReader;
}

/** Kinds of attributes with at most one text per visitor. */
const choice = (read: TextReader) => ({ type: 'string', operators: CHOICE_OPERATORS, read }) as const;
const text = (read: TextReader) => ({ type: 'string', operators: TEXT_OPERATORS, read }) as const;
const version = (read: TextReader) => ({ type: 'version', operators: VERSION_OPERATORS, read }) as const;

/**
 * The attributes of visitors that conditions can test. The API, the matcher and the description of tested visitors all
 * follow this list.
 */
export const ATTRIBUTES = {
  country: { code: 0, cost: 9, ...choice((visitor) => visitor.country()) },
  region: { code: 1, cost: 10, ...text((visitor) => visitor.region()) },
  city: { code: 2, cost: 11, ...text((visitor) => visitor.city()) },
  device_type: { code: 3, cost: 12, ...choice((visitor) => visitor.deviceType()) },
  device_brand: { code: 4, cost: 13, ...text((visitor) => visitor.deviceBrand()) },
  device_model: { code: 5, cost: 14, ...text((visitor) => visitor.deviceModel()) },
  browser_name: { code: 6, cost: 15, ...text((visitor) => visitor.browserName()) },
  browser_version: { code: 7, cost: 16, ...version((visitor) => visitor.browserVersion()) },
  os_name: { code: 8, cost: 17, ...text((visitor) => visitor.osName()) },
  os_version: { code: 9, cost: 18, ...version((visitor) => visitor.osVersion()) },
  referrer: { code: 10, cost: 4, ...text((visitor) => visitor.referrer()) },
  referrer_domain: { code: 11, type: 'string', operators: TEXT_OPERATORS, cost: 8 },
  hour_of_day: { code: 12, type: 'number', operators: [...EQUALITY, ...ORDER], cost: 0 },
  day_of_week: { code: 13, type: 'number', operators: [...EQUALITY, ...ORDER], cost: 1 },
  language: {
    code: 14,
    type: 'string',
    operators: [...EQUALITY, 'starts_with', ...PRESENCE],
    cost: 6,
    read: (visitor) => visitor.language(),
  },
  url_path: { code: 15, cost: 2, ...text((visitor) => visitor.urlPath()) },
  query_param: { code: 16, type: 'string or number', operators: [...TEXT_OPERATORS, ...ORDER], cost: 7 },
  user_agent: { code: 17, cost: 3, ...text((visitor) => visitor.userAgent()) },
  ip_address: { code: 18, type: 'ip', operators: [...EQUALITY, 'ip_range'], cost: 5 },
} as const satisfies Record<string, AttributeTraits>;

/** The 19 attributes. */
export type Attribute = keyof typeof ATTRIBUTES;

/** Attributes that are read from a clock. */
export type ClockAttribute = 'hour_of_day' | 'day_of_week';

/** Attributes that have at most one text per visitor. */
export type SingleTextAttribute = {
  [Name in Attribute]: (typeof ATTRIBUTES)[Name] extends { readonly read: TextReader } ? Name : never;
}[Attribute];

/** Attributes that have at most one text per hit. */
export type TextAttribute = SingleTextAttribute | 'referrer_domain';

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

/** Returns whether a visitor has at most one text of `attribute`. */
export function isSingleText(attribute: Attribute): attribute is SingleTextAttribute {
  return 'read' in ATTRIBUTES[attribute];
}

/** Returns whether a hit has at most one text of `attribute`. */
export function isTextAttribute(attribute: Attribute): attribute is TextAttribute {
  return isSingleText(attribute) || attribute === 'referrer_domain';
}

/** The attributes that have at most one text per visitor. */
export const SINGLE_TEXTS: readonly SingleTextAttribute[] = (Object.keys(ATTRIBUTES) as Attribute[]).filter(
  isSingleText,
);

export function isClockAttribute(attribute: Attribute): attribute is ClockAttribute {
  return attribute === 'hour_of_day' || attribute === 'day_of_week';
}

export function isOperator(name: string): name is Operator {
  return (OPERATORS as readonly string[]).includes(name);
}
