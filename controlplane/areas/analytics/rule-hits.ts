import { LRUCache } from 'lru-cache';
import { ENTRY_IDS_FROM } from '../../../shared/paths/entry-ids.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { answerWithin, KEPT_ANSWER_LIMITS } from '../../storage/clickhouse/answer-within.js';

/** Exact number of a rule's matches in real traffic. It does not depend on the sampling rate. */
export interface HitsOfRule {
  /** The sum over its variants. */
  readonly hits: number;
  /** Matches of people. Matches from before data planes counted people are only in `hits`. */
  readonly humanHits: number;
  /** Hits by variant name. Rules other than A/B tests have one variant with an empty name. */
  readonly variants: ReadonlyMap<string, HitsOfVariant>;
}

/** Number of a rule's decisions for one variant. */
export interface HitsOfVariant {
  readonly hits: number;
  readonly humanHits: number;
}

/** Hits by rule id. Rules that never matched are absent. */
export type RuleHits = ReadonlyMap<number, HitsOfRule>;

export interface RuleHitsReader {
  /**
   * Reads the hits of all rules of a redirect, deleted ones included. The answer may be half a second old.
   *
   * @throws AnalyticsStoreError when the store fails, or has not answered after a second
   */
  hitsOf(redirectId: string): Promise<RuleHits>;
}

const MAX_AGE_MS = 500;
/** Maximum wait. Rules are shown without hits after that. */
const TIMEOUT_MS = 1_000;
const MAX_CACHED_REDIRECTS = 1_000;

interface VariantRow {
  readonly ruleId: number;
  readonly variant: string;
  readonly hits: number;
  readonly humanHits: number;
}

export interface RuleHitsReaderOptions {
  /** Maximum age of an answer. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
}

/** Reads how often rules matched. Concurrent questions about one redirect share one query. */
export function createRuleHitsReader(
  store: AnalyticsStore,
  options: RuleHitsReaderOptions = {},
): RuleHitsReader {
  const { maxAgeMs = MAX_AGE_MS, timeoutMs = TIMEOUT_MS } = options;
  const cache = new LRUCache<string, RuleHits>({
    max: MAX_CACHED_REDIRECTS,
    ttl: maxAgeMs,
    fetchMethod: (redirectId) => readRuleHits(store, redirectId),
  });
  return { hitsOf: (redirectId) => answerWithin(timeoutMs, cache.forceFetch(redirectId)) };
}

async function readRuleHits(store: AnalyticsStore, redirectId: string): Promise<RuleHits> {
  // A producer's totals only grow: the greatest is the newest.
  const rows = await store.query<VariantRow>(
    `SELECT rule_id AS ruleId, variant, sum(newest) AS hits, sum(newest_human) AS humanHits
     FROM (
       SELECT rule_id, variant, max(hits) AS newest, max(human_hits) AS newest_human FROM rule_counters
       WHERE redirect_id = {redirect:String} AND rule_id < ${ENTRY_IDS_FROM} GROUP BY rule_id, variant, producer_id
     ) GROUP BY ruleId, variant ORDER BY ruleId, variant`,
    { redirect: redirectId },
    KEPT_ANSWER_LIMITS,
  );
  const byRule = new Map<number, { hits: number; humanHits: number; variants: Map<string, HitsOfVariant> }>();
  for (const { ruleId, variant, hits, humanHits } of rows) {
    const rule = byRule.get(ruleId) ?? { hits: 0, humanHits: 0, variants: new Map() };
    rule.hits += hits;
    rule.humanHits += humanHits;
    rule.variants.set(variant, { hits, humanHits });
    byRule.set(ruleId, rule);
  }
  return byRule;
}
