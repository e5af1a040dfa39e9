import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { MessageSchema } from '../redirects/redirect-schema.js';
import { createRuleRecords, type HitsOf } from './rule-record.js';
import {
  CreateRuleSchema,
  RedirectIdParamSchema,
  ReorderRulesSchema,
  RuleAnswerSchema,
  RuleCreatedSchema,
  RuleIdParamSchema,
  RuleListSchema,
  RuleStatusSchema,
  RulesReorderedSchema,
  UpdateRuleSchema,
} from './rule-schema.js';
import type { RuleService } from './rule-service.js';
import { MAX_BYTES_OF_REDIRECT, MAX_CONDITIONS_OF_REDIRECT } from './rule-size.js';

export interface RuleRoutesDeps {
  readonly service: RuleService;
  /** Matches of the rules of a redirect. */
  readonly hitsOf: HitsOf;
}

const tags = ['rules'];
const LIMITS = `All rules of a redirect may have ${MAX_CONDITIONS_OF_REDIRECT} conditions and ${MAX_BYTES_OF_REDIRECT} bytes together.`;
const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;

/** Routes of rules, for all of their life. Testing rules and counting their matches are areas of their own. */
export function createRuleRoutes({ service, hitsOf }: RuleRoutesDeps): FastifyPluginAsyncTypebox {
  const records = createRuleRecords(hitsOf);

  return async (app) => {
    app.get(
      '/rules/redirect/:redirectId',
      {
        config: reading,
        schema: {
          tags,
          summary: 'The rules of a redirect, in the order of evaluation',
          params: RedirectIdParamSchema,
          response: { 200: RuleListSchema },
        },
      },
      async ({ params, user, log }) => {
        const rules = await service.list(user.id, params.redirectId);
        return { rules: await records.all(rules, log) };
      },
    );

    app.post(
      '/rules/redirect/:redirectId',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Create a rule',
          description: `Without \`status\` it is a draft, without \`priority\` the last one. ${LIMITS}`,
          params: RedirectIdParamSchema,
          body: CreateRuleSchema,
          response: { 201: RuleCreatedSchema },
        },
      },
      async ({ params, user, body, log }, reply) => {
        const rule = await service.create(user, params.redirectId, body);
        const message = `The rule ${rule.name} was created.`;
        return reply.code(201).send({ message, rule: await records.one(rule, log) });
      },
    );

    app.put(
      '/rules/redirect/:redirectId/reorder',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Put the rules of a redirect into another order',
          params: RedirectIdParamSchema,
          body: ReorderRulesSchema,
          response: { 200: RulesReorderedSchema },
        },
      },
      async ({ params, user, body, log }) => {
        const rules = await service.reorder(user, params.redirectId, body.ruleIds);
        return { message: 'The rules were reordered.', rules: await records.all(rules, log) };
      },
    );

    app.get(
      '/rules/:ruleId',
      {
        config: reading,
        schema: {
          tags,
          summary: 'One rule',
          params: RuleIdParamSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async ({ params, user, log }) => ({
        rule: await records.one(await service.get(user.id, params.ruleId), log),
      }),
    );

    app.put(
      '/rules/:ruleId',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Change a rule',
          description: 'Only the members sent change. `type` and `action` must still fit each other.',
          params: RuleIdParamSchema,
          body: UpdateRuleSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async ({ params, user, body, log }) => ({
        rule: await records.one(await service.update(user, params.ruleId, body), log),
      }),
    );

    app.put(
      '/rules/:ruleId/status',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Activate or deactivate a rule',
          description: 'No other field changes; members beside `status` are ignored.',
          params: RuleIdParamSchema,
          body: RuleStatusSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async ({ params, user, body: { status }, log }) => ({
        rule: await records.one(await service.update(user, params.ruleId, { status }), log),
      }),
    );

    app.post(
      '/rules/:ruleId/duplicate',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Copy a rule',
          description: 'The copy is a draft and comes last.',
          params: RuleIdParamSchema,
          response: { 201: RuleCreatedSchema },
        },
      },
      async ({ params, user, log }, reply) => {
        const rule = await service.duplicate(user, params.ruleId);
        const message = `The rule ${rule.name} was created.`;
        return reply.code(201).send({ message, rule: await records.one(rule, log) });
      },
    );

    app.delete(
      '/rules/:ruleId',
      {
        config: writing,
        schema: {
          tags,
          summary: 'Delete a rule',
          params: RuleIdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async ({ params, user }) => {
        const { name } = await service.delete(user, params.ruleId);
        return { message: `The rule ${name} was deleted.` };
      },
    );
  };
}
