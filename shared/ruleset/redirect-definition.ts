import type { RuleDefinition } from '../rules/rule-definition.js';
import type { RedirectOptions } from './redirect-options.js';

/** Default time that caches may keep a permanent answer. */
export const DEFAULT_CACHE_SECONDS = 300;
/** One year. RFC 9111 lets caches treat longer times as one year. */
export const MAX_CACHE_SECONDS = 31_536_000;

/** Kind of a redirect's answer: `permanent` is HTTP 301, `temporary` is HTTP 302. */
export type RedirectType = 'permanent' | 'temporary';

/** Part of the query that hits record (`shared/visitor/query-masking.ts`). The first value is the default. */
export const QUERY_RECORDINGS = ['full', 'names', 'none'] as const;

/**
 * `full` masks the values of parameters that are named like secrets, `names` masks all values, `none` records no query. It
 * applies to the request's query, to the destination and to the referrer.
 */
export type QueryRecording = (typeof QUERY_RECORDINGS)[number];

/**
 * Definition of one verified redirect for data planes. Immutable: a change makes a new definition. The control plane
 * has validated all values.
 */
export interface RedirectDefinition extends RedirectOptions {
  readonly id: string;
  /** Lower-case ASCII (punycode) host name without port or trailing dot. */
  readonly host: string;
  /** Absolute http(s) URL, as its owner wrote it. */
  readonly destination: string;
  readonly redirectType: RedirectType;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  /** Share of requests whose hit is recorded, 0 to 1, both included. */
  readonly samplingRate: number;
  /** Time that caches may keep a permanent answer; absent means `DEFAULT_CACHE_SECONDS`. 0 forbids caching. */
  readonly cacheSeconds?: number;
  /** Days for which its hits are kept, by the plan of its owner; absent if unlimited. */
  readonly retentionDays?: number;
  /** Absent for `full`. */
  readonly queryRecording?: QueryRecording;
  /** The active rules in their order; absent if there are none. */
  readonly rules?: readonly RuleDefinition[];
}
