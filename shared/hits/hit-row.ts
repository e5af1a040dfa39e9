import type { QueryRecording } from '../ruleset/redirect-definition.js';
import type { ReferrerType } from '../visitor/referrer-type.js';

/** One recorded hit in its stored form, without any raw IP address. */
export interface HitRow {
  /** Identifies the hit permanently together with the ordinal, so repeated rows can be detected. */
  readonly producer_id: string;
  /** 1, 2, 3 … within the producer. */
  readonly ordinal: number;
  readonly redirect_id: string;
  /** Unix time in milliseconds. */
  readonly timestamp: number;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly destination_url: string;
  readonly status_code: number;
  readonly method: string;
  /** Sampling rate when this hit was recorded. 1/rate is the weight of the hit in estimates. */
  readonly sampling_rate: number;
  readonly user_agent: string;
  readonly referrer: string;
  readonly language: string;
  /** Address truncated to /24 (IPv4) or /48 (IPv6). */
  readonly ip_address: string;
  /** Keyed hash of address and user agent, 64 bits. */
  readonly visitor: bigint;
  readonly is_bot: 0 | 1;
  /** Reason why the hit counts as a bot: `user-agent`, `head`, `prefetch`, `preview`, or empty. */
  readonly bot_reason: string;
  /** `epoch.seq` of the ruleset that answered. */
  readonly ruleset_version: string;
  /** The rule that decided; 0 if no rule did. */
  readonly rule_id: number;
  /** The variant of an A/B test, otherwise empty. Unknown values of the columns below are empty too. */
  readonly variant: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly region: string;
  readonly city: string;
  /** Latitude of the city in degrees; 0, like the longitude, when unknown. */
  readonly latitude: number;
  readonly longitude: number;
  readonly device_type: string;
  readonly device_brand: string;
  readonly device_model: string;
  readonly browser_name: string;
  readonly browser_version: string;
  readonly os_name: string;
  readonly os_version: string;
  /** Registrable domain of the referrer, lower-case. */
  readonly referrer_domain: string;
  /** Kind of the visitor's source. */
  readonly referrer_type: ReferrerType;
  /** The `utm_…` parameters of the query, decoded. */
  readonly utm_source: string;
  readonly utm_medium: string;
  readonly utm_campaign: string;
  readonly utm_term: string;
  readonly utm_content: string;
  /** Names of the query's parameters as sent, each once, sorted and joined by `&`. */
  readonly query_names: string;
  /** Days for which the plan of the redirect's owner keeps the hit; 0 for unlimited. */
  readonly retention_days: number;
  /** Random draw of the deciding rule, above 0 and below 1; 0 if no rule drew. */
  readonly draw: number;
  /** `queryRecording` of the redirect at that time; empty in hits of formats before 7. */
  readonly query_recording: QueryRecording | '';
  /**
   * Path table entry that gave the answer in addition to a rule. `NO_ENTRY` if the table was consulted and had no
   * entry. 0 if no table was consulted, or if `rule_id` names the entry.
   */
  readonly entry_id: number;
  /** Normalised host of the request if `host` is a wildcard. Empty for other hosts, and in hits of formats before 8. */
  readonly requested_host: string;
}
