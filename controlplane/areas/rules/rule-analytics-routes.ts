import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { asAnswer, type RuleHits, type RuleHitsReader } from '../analytics/public.js';
import { ruleAnalytics } from './rule-analytics.js';
import { RuleAnalyticsSchema } from './rule-analytics-schema.js';
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
        ruleAnalytics(await rules.list(user.id, redirectId), await requireHits(redirectId)),
    );
  };
}
