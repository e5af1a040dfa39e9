import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { RedirectIdParamSchema } from './rule-schema.js';
import { RuleTestAnswerSchema, RuleTestSchema } from './rule-test-schema.js';
import type { RuleTestService } from './rule-test-service.js';

export interface RuleTestRoutesDeps {
  readonly test: RuleTestService;
}

/** Trying rules out on a described visitor. */
export function createRuleTestRoutes({ test }: RuleTestRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/rules/redirect/:redirectId/test',
      {
        config: { scope: 'redirects:read' },
        schema: {
          tags: ['rules'],
          operationId: 'testRules',
          summary: 'What the rules would do with a visitor',
          description:
            'Runs the active rules as for real traffic, without redirecting and without counting. The visitor brings no cookies. Without `visitorId` the dice are thrown anew each time, except where an action is sticky by visitor: there `ip_address` and `user_agent` decide, as for real visitors.',
          params: RedirectIdParamSchema,
          body: RuleTestSchema,
          response: { 200: RuleTestAnswerSchema },
        },
      },
      async ({ user, params, body }) => test.test(user.id, params.redirectId, body),
    );
  };
}
