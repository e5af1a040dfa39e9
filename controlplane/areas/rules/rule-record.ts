import type { FastifyBaseLogger } from 'fastify';
import type { Rule } from './rule.js';
import type { RuleRecord } from './rule-schema.js';

/** Matches of each rule of a redirect, by rule id; a rule without any may be absent. */
export type HitsOf = (redirectId: string) => Promise<ReadonlyMap<number, { readonly hits: number }>>;

/** Shows rules as the API does. */
export function createRuleRecords(hitsOf: HitsOf) {
  async function readHits(redirectId: string, log: FastifyBaseLogger) {
    // Unavailable analytics must not prevent users from managing rules.
    return hitsOf(redirectId).catch((error: unknown) => {
      log.warn({ err: error }, 'hits of rules are not known at the moment; shown as zero');
      return new Map<number, never>();
    });
  }

  return {
    async one(rule: Rule, log: FastifyBaseLogger): Promise<RuleRecord> {
      const hits = await readHits(rule.redirectId, log);
      return ruleRecord(rule, hits.get(rule.id)?.hits ?? 0);
    },
    /** @param rules of one redirect */
    async all(rules: readonly Rule[], log: FastifyBaseLogger): Promise<RuleRecord[]> {
      const [first] = rules;
      if (first === undefined) return [];
      const hits = await readHits(first.redirectId, log);
      return rules.map((rule) => ruleRecord(rule, hits.get(rule.id)?.hits ?? 0));
    },
  };
}

/** @param hitCount matches; a new rule has none */
export function ruleRecord({ version: _, ...rule }: Rule, hitCount: number): RuleRecord {
  return {
    ...rule,
    conditions: rule.conditions.map((condition) => ({ ...condition })),
    startDate: rule.startDate?.toISOString() ?? null,
    endDate: rule.endDate?.toISOString() ?? null,
    hitCount,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
  };
}
