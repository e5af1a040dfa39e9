import { type HitsOfRule, percentage, type RuleHits } from '../analytics/public.js';
import type { Rule } from './rule.js';
import type { RuleAnalytics, RuleAnalyticsItem } from './rule-analytics-schema.js';

const NO_HITS = { hits: 0, humanHits: 0 } as const;

/** Returns the matches of each rule, in the order of the rules. */
export function ruleAnalytics(rules: readonly Rule[], hitsOfRules: RuleHits): RuleAnalytics {
  const totalHits = sum(rules.map(({ id }) => hitsOfRules.get(id)?.hits ?? 0));
  return {
    analytics: rules.map((rule) => itemOf(rule, hitsOfRules.get(rule.id), totalHits)),
    totalHits,
    totalRules: rules.length,
    activeRules: rules.filter(({ status }) => status === 'active').length,
  };
}

function itemOf(rule: Rule, hits: HitsOfRule | undefined, totalHits: number): RuleAnalyticsItem {
  const hitCount = hits?.hits ?? 0;
  return {
    id: rule.id,
    name: rule.name,
    type: rule.type,
    status: rule.status,
    hitCount,
    humanHits: hits?.humanHits ?? 0,
    percentage: percentage(hitCount, totalHits),
    createdAt: rule.createdAt.toISOString(),
    ...(rule.action.type === 'ab_test' && {
      variants: variantsOf(
        rule.action.variants.map(({ name }) => name),
        hits,
      ),
    }),
  };
}

/** Lists the current variants. Hits of removed variants are in `hitCount` only. */
function variantsOf(names: readonly string[], hits: HitsOfRule | undefined) {
  const counted = names.map((name) => ({ name, ...(hits?.variants.get(name) ?? NO_HITS) }));
  const all = sum(counted.map((variant) => variant.hits));
  const allHuman = sum(counted.map((variant) => variant.humanHits));
  return counted.map((variant) => ({
    name: variant.name,
    hits: variant.hits,
    percentage: percentage(variant.hits, all),
    humanHits: variant.humanHits,
    humanPercentage: percentage(variant.humanHits, allHuman),
  }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
