import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  asAnswer,
  type HitsOfRule,
  percentage,
  type RuleHits,
  type RuleHitsReader,
} from '../analytics/public.js';
import type { Rule } from './rule.js';
import { type RuleAnalytics, type RuleAnalyticsItem, RuleAnalyticsSchema } from './rule-analytics-schema.js';
import { RedirectIdParamSchema } from './rule-schema.js';
import type { RuleService } from './rule-service.js';

/** Creates the routes of rule analytics. */
export function createRuleAnalyticsRoutes(
  rules: Pick<RuleService, 'list'>,
  hits: RuleHitsReader,
): FastifyPluginAsyncTypebox {
  /** Reads the hits of the rules or throws. Zeros would be a wrong answer here. */
  async function requireHits(redirectId: string): Promise<RuleHits> {
    return hits.hitsOf(redirectId).catch((error: unknown) => {
      throw asAnswer(error);
    });
  }

  return async (app) => {
    app.get(
      '/rules/redirect/:redirectId/analytics',
      {
        config: { scope: 'analytics:read' },
        schema: {
          tags: ['rules'],
          operationId: 'getRuleAnalytics',
          summary: 'Matches of each rule',
          params: RedirectIdParamSchema,
          response: { 200: RuleAnalyticsSchema },
        },
      },
      async ({ user, params: { redirectId } }) =>
        ruleAnalytics((await rules.list(user.id, redirectId)).rules, await requireHits(redirectId)),
    );
  };
}

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
