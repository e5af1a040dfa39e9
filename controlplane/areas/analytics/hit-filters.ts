import { type Static, Type } from 'typebox';
import { ENTRY_IDS_FROM, hitIdOf, NO_ENTRY } from '../../../shared/paths/entry-ids.js';
import { DEVICE_TYPES } from '../../../shared/visitor/known-values.js';
import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { Period } from './period.js';

/** Value of a filter for hits with an unknown value. Lists use it as the name of that row, too. */
export const UNKNOWN = 'unknown';
const MAX_TEXT_LENGTH = 2_048;

const DEVICES = [...DEVICE_TYPES.map(({ value }) => value), UNKNOWN];

/** Whitespace around a parameter is removed, so a parameter of whitespace alone is refused. */
const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: '\\S', description }));
/** A tag of the link. Visitors may send any text, so only the empty value means that a hit has no tag. */
const tag = (param: string) =>
  Type.Optional(
    Type.String({
      maxLength: MAX_TEXT_LENGTH,
      description: `Only hits with this \`${param}\`. An empty value selects hits without it.`,
    }),
  );
const id = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description }));

/** Parameters that select hits. Every statistic takes all of them; several together select hits that satisfy all. */
export const HIT_FILTERS = {
  country: Type.Optional(
    Type.String({
      pattern: `^([A-Z]{2}|${UNKNOWN})$`,
      description: `Only hits from this country (ISO 3166-1 alpha-2), or \`${UNKNOWN}\`.`,
      accepts: `a country code of two capital letters, or ${UNKNOWN}`,
    }),
  ),
  region: text('Only hits from this region: a `code` of `stats/geo?groupBy=region`.'),
  city: text('Only hits from this city: a `code` of `stats/geo?groupBy=city`.'),
  device: Type.Optional(
    Type.Enum(DEVICES, { description: `Only hits of this type of device, or \`${UNKNOWN}\`.` }),
  ),
  browser: text(`Only hits of this browser, in any version, or \`${UNKNOWN}\`.`),
  os: text(`Only hits of this operating system, in any version, or \`${UNKNOWN}\`.`),
  language: text(`Only hits with this language tag, or \`${UNKNOWN}\`.`),
  referrer: text(
    'Only hits from this referrer: a domain, an address, or `direct`, `search`, `social` or `unknown` for those without an address.',
  ),
  source: tag('utm_source'),
  medium: tag('utm_medium'),
  campaign: tag('utm_campaign'),
  term: tag('utm_term'),
  content: tag('utm_content'),
  path: text('Only hits on this path, without query.'),
  destination: text('Only hits answered with this `Location`.'),
  statusCode: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'Only hits answered with this status.' }),
  ),
  ruleId: id('Only hits that this rule decided.', Number.MAX_SAFE_INTEGER),
  variant: text('Only hits that got this variant of an A/B test.'),
  entryId: id('Only hits that this entry of the table of paths decided, also beside a rule.', NO_ENTRY - 1),
};

const FiltersSchema = Type.Object(HIT_FILTERS);
export type HitFilters = Static<typeof FiltersSchema>;

/** A condition on hits. */
export interface HitWhere {
  /** Condition over columns of the hits; true without filters. */
  readonly sql: string;
  readonly params: QueryParams;
  /** Columns of the condition. */
  readonly columns: readonly string[];
}

export const ALL_HITS: HitWhere = { sql: '1', params: {}, columns: [] };

/** The referrer of a hit as lists name it: a domain, or a word without an address. */
export const REFERRER = `multiIf(referrer_domain != '', referrer_domain, referrer = '', 'direct',
  referrer_type IN ('search', 'social'), referrer_type, 'unknown')`;

interface Condition {
  /** SQL, with `$` for the parameter. */
  readonly sql: string;
  readonly type: 'String' | 'UInt16' | 'UInt64';
  readonly columns: readonly string[];
  /** Converts a value to that in the store. Default: unchanged. */
  readonly stored?: (value: string | number) => string | number;
}

const equals = (column: string, type: Condition['type'] = 'String'): Condition => ({
  sql: `${column} = $`,
  type,
  columns: [column],
});
/** The store has an empty text for an unknown value. */
const orUnknown = (column: string): Condition => ({
  ...equals(column),
  stored: (value) => (value === UNKNOWN ? '' : value),
});

const CONDITIONS: Readonly<Record<keyof HitFilters, Condition>> = {
  country: orUnknown('country'),
  region: {
    sql: "concat(country, '-', region) = $ AND region != ''",
    type: 'String',
    columns: ['country', 'region'],
  },
  city: {
    sql: "concat(country, '-', region, '-', city) = $ AND city != ''",
    type: 'String',
    columns: ['country', 'region', 'city'],
  },
  device: orUnknown('device_type'),
  browser: orUnknown('browser_name'),
  os: orUnknown('os_name'),
  language: orUnknown('language'),
  referrer: {
    sql: `(referrer = $ OR ${REFERRER} = $)`,
    type: 'String',
    columns: ['referrer', 'referrer_domain', 'referrer_type'],
  },
  source: equals('utm_source'),
  medium: equals('utm_medium'),
  campaign: equals('utm_campaign'),
  term: equals('utm_term'),
  content: equals('utm_content'),
  path: equals('path'),
  destination: equals('destination_url'),
  statusCode: equals('status_code', 'UInt16'),
  ruleId: equals('rule_id', 'UInt64'),
  variant: equals('variant'),
  entryId: {
    sql: `(rule_id = $ OR entry_id + ${ENTRY_IDS_FROM} = $)`,
    type: 'UInt64',
    columns: ['rule_id', 'entry_id'],
    stored: (value) => hitIdOf(Number(value)),
  },
};

/** Returns the filters among the parameters of a request as SQL. */
export function filterWhere(query: HitFilters): HitWhere {
  const given = Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const value = query[name as keyof HitFilters];
    return value === undefined ? [] : [{ ...condition, param: `filter_${name}`, value }];
  });
  if (given.length === 0) return ALL_HITS;
  return {
    sql: given.map(({ sql, param, type }) => sql.replaceAll('$', `{${param}:${type}}`)).join(' AND '),
    params: Object.fromEntries(
      given.map(({ param, value, stored = (same) => same }) => [param, stored(value)]),
    ),
    columns: [...new Set(given.flatMap(({ columns }) => columns))],
  };
}

/** Filter for the hits of a question. */
export interface HitFilter {
  readonly redirectId: string;
  readonly period: Period;
  /** Default: all hits. */
  readonly where?: HitWhere;
}

/**
 * Returns the WHERE clause for all hits of one redirect in a period. It uses the primary key. Questions use `hits` of
 * their source.
 */
export const HITS_OF_PERIOD = `redirect_id = {redirect:String}
  AND timestamp BETWEEN fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

export function hitFilterParams({ redirectId, period, where }: HitFilter): QueryParams {
  return { redirect: redirectId, start: period.startMs, end: period.endMs, ...where?.params };
}
