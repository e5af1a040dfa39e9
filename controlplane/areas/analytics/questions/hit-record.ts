import { type Static, Type } from 'typebox';
import type { HitRow } from '../../../../shared/hits/hit-row.js';
import { entryIdOf } from '../../../../shared/paths/entry-ids.js';
import { timestamp } from '../analytics-schema.js';
import { iso } from '../period.js';
import type { QueryContext } from '../question.js';

const text = (description: string) => Type.String({ description });
const known = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

/** Values of `utm` in a hit, each null if the parameter was not sent. */
const UtmSchema = Type.Object(
  {
    source: known('`utm_source`, decoded; so the others.'),
    medium: known('`utm_medium`.'),
    campaign: known('`utm_campaign`.'),
    term: known('`utm_term`.'),
    content: known('`utm_content`.'),
  },
  { description: 'Parameters of the query that name a campaign.' },
);

/** Hit in the form of the API. Unknown and absent values are null. */
export const HitSchema = Type.Object(
  {
    id: text('Unique for ever.'),
    timestamp: timestamp('When it was answered.'),
    host: text('Lower-case, without port.'),
    path: text('As requested.'),
    query: text(
      'As requested, without its question mark; empty where there was none. Masked values are `***`: see `queryRecording` of redirects.',
    ),
    destinationUrl: known('The `Location` of the answer; its query is recorded as `query` is.'),
    statusCode: Type.Integer(),
    ruleId: Type.Union([Type.Integer({ description: 'The rule that decided.' }), Type.Null()]),
    entryId: Type.Union([
      Type.Integer({ description: 'The entry of the table of paths that decided.' }),
      Type.Null(),
    ]),
    variant: known('The variant of an A/B test.'),
    country: known('ISO 3166-1 alpha-2.'),
    region: known('In English.'),
    city: known('In English.'),
    deviceType: known('`mobile`, `tablet`, `desktop` and rarer ones.'),
    deviceBrand: known('Its manufacturer.'),
    deviceModel: known('Its model.'),
    browser: known('Its name.'),
    browserVersion: known('Its version.'),
    os: known('Name of the operating system.'),
    osVersion: known('Its version.'),
    language: known('Preferred one of `Accept-Language`.'),
    referrer: known('As sent; its query is recorded as `query` is, and user info is masked.'),
    referrerDomain: known('Registrable domain of the referrer.'),
    referrerType: text('`search`, `social`, `direct`, `email`, `paid`, `website` or `unknown`.'),
    isBot: Type.Boolean(),
    botReason: known('Why it counts as one: `user-agent`, `head`, `prefetch` or `preview`.'),
    ipAddress: known('Truncated to /24 (IPv4) or /48 (IPv6).'),
    userAgent: known('As sent.'),
    visitorId: text(
      'Stands for the visitor in your hits of one calendar month (UTC). The same visitor has another id in the next month, and at other users.',
    ),
    utm: UtmSchema,
    rulesetVersion: text('Version of the rules that answered.'),
  },
  { title: 'Hit' },
);

export type Hit = Static<typeof HitSchema>;

/** Newest first: a producer numbers its hits in the order of their answers, which a millisecond has many of. */
export const HIT_ORDER = 'ORDER BY timestamp DESC, producer_id DESC, ordinal DESC';

/** The columns of a `HitRecord`. */
export const HIT_RECORD = `hit_name, producer_id, ordinal, toUnixTimestamp64Milli(timestamp) AS time_ms, host, path, query, destination_url,
  status_code, rule_id, variant, country, region, city, device_type, device_brand, device_model, browser_name,
  browser_version, os_name, os_version, language, referrer, referrer_domain, referrer_type, is_bot, bot_reason,
  ip_address, user_agent, visitor_hash, utm_source, utm_medium, utm_campaign, utm_term, utm_content, ruleset_version`;

/** A hit as the store gives it. */
export interface HitRecord
  extends Omit<
    HitRow,
    | 'redirect_id'
    | 'timestamp'
    | 'method'
    | 'sampling_rate'
    | 'visitor'
    | 'latitude'
    | 'longitude'
    | 'query_names'
    | 'retention_days'
  > {
  readonly hit_name: string;
  /** Unix time. */
  readonly time_ms: number;
  readonly visitor_hash: string;
}

/**
 * The hit as the API shows it. The store has no null: unknown texts are empty there, and rule 0 means that no rule decided.
 * The stored hash of the visitor is not shown.
 */
export function hitOf(record: HitRecord, { shownVisitor }: Pick<QueryContext, 'shownVisitor'>): Hit {
  return {
    id: record.hit_name,
    timestamp: iso(record.time_ms),
    host: record.host,
    path: record.path,
    query: record.query,
    destinationUrl: record.destination_url || null,
    statusCode: record.status_code,
    ruleId: entryIdOf(record.rule_id) === undefined ? record.rule_id || null : null,
    entryId: entryIdOf(record.rule_id) ?? null,
    variant: record.variant || null,
    country: record.country || null,
    region: record.region || null,
    city: record.city || null,
    deviceType: record.device_type || null,
    deviceBrand: record.device_brand || null,
    deviceModel: record.device_model || null,
    browser: record.browser_name || null,
    browserVersion: record.browser_version || null,
    os: record.os_name || null,
    osVersion: record.os_version || null,
    language: record.language || null,
    referrer: record.referrer || null,
    referrerDomain: record.referrer_domain || null,
    referrerType: record.referrer_type,
    isBot: record.is_bot === 1,
    botReason: record.bot_reason || null,
    ipAddress: record.ip_address || null,
    userAgent: record.user_agent || null,
    visitorId: shownVisitor(record.time_ms, record.visitor_hash),
    utm: {
      source: record.utm_source || null,
      medium: record.utm_medium || null,
      campaign: record.utm_campaign || null,
      term: record.utm_term || null,
      content: record.utm_content || null,
    },
    rulesetVersion: record.ruleset_version,
  };
}
