import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { RedirectIdParamSchema } from './rule-schema.js';
import { RuleTestAnswerSchema, RuleTestSchema } from './rule-test-schema.js';
import type { RuleTestService } from './rule-test-service.js';

/** Routes that test rules on a described visitor. */
export function createRuleTestRoutes({ test }: Pick<RuleTestService, 'test'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/rules/redirect/:redirectId/test',
      {
        config: { scope: 'redirects:read' },
        schema: {
          tags: ['rules'],
          operationId: 'testRules',
          summary: 'Test the rules with a visitor',
          description:
            'Evaluates the active rules as for real traffic, without cookies and without counting. Random choices differ between calls, unless `visitorId` is sent or the action is sticky by visitor, which uses `ip_address` and `user_agent`.',
          params: RedirectIdParamSchema,
          body: RuleTestSchema,
          response: { 200: RuleTestAnswerSchema },
        },
      },
      async ({ user, params, body }) => test(user.id, params.redirectId, body),
    );
  };
}
