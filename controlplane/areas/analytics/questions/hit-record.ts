import { type Static, Type } from 'typebox';
import type { HitRow } from '../../../../shared/hits/hit-row.js';
import { entryIdOf, entryOfHit } from '../../../../shared/paths/entry-ids.js';
import { timestamp } from '../analytics-schema.js';
import { iso } from '../period.js';
import type { QueryContext } from '../question.js';

const text = (description: string) => Type.String({ description });
const known = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

/** Values of `utm` in a hit, each null if the parameter was not sent. */
const UtmSchema = Type.Object(
  {
    source: known('`utm_source` parameter, decoded.'),
    medium: known('`utm_medium` parameter.'),
    campaign: known('`utm_campaign` parameter.'),
    term: known('`utm_term` parameter.'),
    content: known('`utm_content` parameter.'),
  },
  { description: 'Campaign parameters of the query.' },
);

/** Hit in the form of the API. Unknown and absent values are null. */
export const HitSchema = Type.Object(
  {
    id: text('Unique id of the hit.'),
    timestamp: timestamp('Time of the answer.'),
    host: text(
      'Host of the request in lower case, without port. Hits of a wildcard from earlier releases have its name.',
    ),
    path: text('Path of the request.'),
    query: text(
      'Query of the request without `?`, or an empty string. Masked values are `***`; see `queryRecording` of redirects.',
    ),
    destinationUrl: known('`Location` of the answer. Its query is recorded like `query`.'),
    statusCode: Type.Integer(),
    ruleId: Type.Union([Type.Integer({ description: 'Id of the rule that decided.' }), Type.Null()]),
    entryId: Type.Union([
      Type.Integer({
        description:
          'Id of the path table entry that decided, alone or after a percentage had let the visitor pass.',
      }),
      Type.Null(),
    ]),
    variant: known('Name of the variant of an A/B test.'),
    country: known('ISO 3166-1 alpha-2 code.'),
    region: known('English name.'),
    city: known('English name.'),
    deviceType: known('`mobile`, `tablet`, `desktop` or a rarer type.'),
    deviceBrand: known('Manufacturer of the device.'),
    deviceModel: known('Model of the device.'),
    browser: known('Name of the browser.'),
    browserVersion: known('Version number.'),
    os: known('Name of the operating system.'),
    osVersion: known('Version number.'),
    language: known('Preferred language of `Accept-Language`.'),
    referrer: known(
      '`Referer` of the request. User information is masked, and its query is recorded like `query`.',
    ),
    referrerDomain: known('Registrable domain of the referrer.'),
    referrerType: text('`search`, `social`, `direct`, `email`, `paid`, `website` or `unknown`.'),
    isBot: Type.Boolean(),
    botReason: known('Reason for counting as a bot: `user-agent`, `head`, `prefetch` or `preview`.'),
    ipAddress: known('Address truncated to /24 (IPv4) or /48 (IPv6).'),
    userAgent: known('`User-Agent` of the request.'),
    visitorId: text(
      'Pseudonym of the visitor, valid for one calendar month (UTC) and for your redirects only.',
    ),
    utm: UtmSchema,
    rulesetVersion: text('Version of the ruleset that answered.'),
  },
  { title: 'Hit' },
);

export type Hit = Static<typeof HitSchema>;

/** Newest first. Within a millisecond, the numbers of a producer give the order of its answers. */
export const HIT_ORDER = 'ORDER BY timestamp DESC, producer_id DESC, ordinal DESC';

/** The columns of a `HitRecord`. */
export const HIT_RECORD = `hit_name, producer_id, ordinal, toUnixTimestamp64Milli(timestamp) AS time_ms, host, path, query, destination_url,
  status_code, rule_id, variant, country, region, city, device_type, device_brand, device_model, browser_name,
  browser_version, os_name, os_version, language, referrer, referrer_domain, referrer_type, is_bot, bot_reason,
  ip_address, user_agent, visitor_hash, utm_source, utm_medium, utm_campaign, utm_term, utm_content, ruleset_version, entry_id, requested_host`;

/** A hit as the store returns it. */
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
    | 'draw'
    | 'query_recording'
  > {
  readonly hit_name: string;
  /** Unix time. */
  readonly time_ms: number;
  readonly visitor_hash: string;
}

/**
 * Returns the hit as the API shows it. The store has no null: unknown texts are empty there, and rule 0 means that no
 * rule decided. The stored hash of the visitor is not shown.
 */
export function hitOf(record: HitRecord, { shownVisitor }: Pick<QueryContext, 'shownVisitor'>): Hit {
  return {
    id: record.hit_name,
    timestamp: iso(record.time_ms),
    host: record.requested_host || record.host,
    path: record.path,
    query: record.query,
    destinationUrl: record.destination_url || null,
    statusCode: record.status_code,
    ruleId: entryIdOf(record.rule_id) === undefined ? record.rule_id || null : null,
    entryId: entryOfHit(record) ?? null,
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
