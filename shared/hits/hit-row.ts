import type { ReferrerType } from '../visitor/referrer-type.js';

/**
 * One recorded hit as it is stored, without any raw address. The order of `HIT_COLUMNS` is the order of the
 * values in an encoded row; both change only together with `HIT_BATCH_FORMAT`.
 */
export interface HitRow {
  /** `<producerId>-<ordinal>`: unique for ever, so that a repeated row can be told. */
  readonly hit_id: string;
  readonly redirect_id: string;
  /** `YYYY-MM-DD hh:mm:ss.SSS`, UTC (chDB's DateTime64 reads no other precise form). */
  readonly timestamp: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly destination_url: string;
  readonly status_code: number;
  readonly method: string;
  /** Share of traffic that was recorded when this hit was; 1/rate is its weight in estimates. */
  readonly sampling_rate: number;
  readonly user_agent: string;
  readonly referrer: string;
  readonly language: string;
  /** Address truncated to /24 (IPv4) or /48 (IPv6). */
  readonly ip_address: string;
  /** Keyed hash of address and user agent, 16 hexadecimal digits. */
  readonly visitor_id: string;
  readonly is_bot: 0 | 1;
  /** Why the hit counts as a bot: `user-agent`, `head`, `prefetch`, `preview`, or empty. */
  readonly bot_reason: string;
  /** `epoch.seq` of the ruleset that answered. */
  readonly ruleset_version: string;
  /** The rule that decided; 0 when none did. */
  readonly rule_id: number;
  /** The variant of an A/B test, else empty. What is not known below is empty too. */
  readonly variant: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly device_type: string;
  readonly device_brand: string;
  readonly device_model: string;
  readonly browser_name: string;
  readonly browser_version: string;
  readonly os_name: string;
  readonly os_version: string;
  /** Registrable domain of the referrer, lower-case. */
  readonly referrer_domain: string;
  /** What kind of place the visitor came from. */
  readonly referrer_type: ReferrerType;
  /** The `utm_…` parameters of the query, decoded. */
  readonly utm_source: string;
  readonly utm_medium: string;
  readonly utm_campaign: string;
  readonly utm_term: string;
  readonly utm_content: string;
  /** Names of the query's parameters as sent, each once, sorted and joined by `&`. */
  readonly query_names: string;
  /** Days that the plan of the redirect's owner keeps the hit; 0 is for ever. */
  readonly retention_days: number;
}

export const HIT_COLUMNS = [
  'hit_id',
  'redirect_id',
  'timestamp',
  'host',
  'path',
  'query',
  'destination_url',
  'status_code',
  'method',
  'sampling_rate',
  'user_agent',
  'referrer',
  'language',
  'ip_address',
  'visitor_id',
  'is_bot',
  'bot_reason',
  'ruleset_version',
  'rule_id',
  'variant',
  'country',
  'region',
  'city',
  'device_type',
  'device_brand',
  'device_model',
  'browser_name',
  'browser_version',
  'os_name',
  'os_version',
  'referrer_domain',
  'referrer_type',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'query_names',
  'retention_days',
] as const satisfies readonly (keyof HitRow)[];
