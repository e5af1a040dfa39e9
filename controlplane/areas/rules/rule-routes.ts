import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  entityTag,
  IfMatchSchema,
  IfNoneMatchSchema,
  ifMatch,
  NotModifiedSchema,
  tagged,
} from '../../http/entity-tags.js';
import { keepAnswer } from '../../http/idempotency.js';
import { MERGE_PATCH } from '../../http/json-bodies.js';
import { useTag } from '../../http/openapi-tags.js';
import { createBodyCheck } from '../../http/request-validation.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import type { Rule } from './rule.js';
import type { PatchRule } from './rule-patch.js';
import { createRuleRecords, type HitsOf, ruleRecord } from './rule-record.js';
import {
  CreateRuleSchema,
  PatchRuleSchema,
  RedirectIdParamSchema,
  ReorderRulesSchema,
  RuleAnswerSchema,
  RuleCreatedSchema,
  RuleIdParamSchema,
  RuleListSchema,
  RuleStatusSchema,
  RulesReorderedSchema,
  type UpdateRule,
  UpdateRuleSchema,
} from './rule-schema.js';
import type { CreateOptions, RuleService } from './rule-service.js';
import { MAX_BYTES_OF_REDIRECT, MAX_CONDITIONS_OF_REDIRECT } from './rule-size.js';

const LIMITS = `The rules of a redirect together may have ${MAX_CONDITIONS_OF_REDIRECT} conditions and ${MAX_BYTES_OF_REDIRECT} bytes.`;
const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;
const changing = { ...writing, checksExamples: true } as const;

const CREATION_PATHS = [
  { path: '/rules/redirect/:redirectId', operationId: 'createRule', params: RedirectIdParamSchema },
  { path: '/redirects/:id/rules', params: IdParamSchema },
] as const;

function createdBody(rule: Rule) {
  return { message: `The rule ${rule.name} was created.`, rule: ruleRecord(rule, 0) };
}

/** Returns the `ETag` of the answer about a new rule: that of `GET /rules/{ruleId}`. */
function createdTag(rule: Rule): string {
  return entityTag(rule.version, { rule: ruleRecord(rule, 0) });
}

/** Returns the facts about a request for a new rule beside its body. */
function options(request: FastifyRequest, reply: FastifyReply): CreateOptions {
  return {
    precondition: ifMatch(request),
    keep: keepAnswer(request, reply, 201, createdBody, createdTag),
  };
}

const checkUpdate = createBodyCheck(UpdateRuleSchema);

/** Checks the result of a patch like the body of an update. */
const requireUpdate: PatchRule['requireUpdate'] = (input) => {
  checkUpdate(input);
  return input as UpdateRule;
};

/** Routes of rules. Tests of rules and counts of their matches are separate. */
export function createRuleRoutes(service: RuleService, hitsOf: HitsOf): FastifyPluginAsyncTypebox {
  const records = createRuleRecords(hitsOf);

  /** Returns the answer about one rule, with its `ETag`; undefined for 304. */
  async function one(request: FastifyRequest, reply: FastifyReply, rule: Rule) {
    return tagged(request, reply, rule.version, { rule: await records.one(rule, request.log) });
  }

  /** Returns the answer about a new rule, which has no matches. */
  function created(reply: FastifyReply, rule: Rule) {
    const body = createdBody(rule);
    reply.code(201).header('ETag', createdTag(rule));
    return body;
  }

  return async (app) => {
    useTag(app, 'rules');
    app.get(
      '/rules/redirect/:redirectId',
      {
        config: reading,
        schema: {
          operationId: 'listRules',
          summary: 'The rules of a redirect, in the order of evaluation',
          description: 'The `ETag` names the version of the redirect, as that of `GET /redirects/{id}` does.',
          params: RedirectIdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: RuleListSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const { params, user, log } = request;
        const { rules, version } = await service.list(user.id, params.redirectId);
        return tagged(request, reply, version, { rules: await records.all(rules, log) });
      },
    );

    for (const { path, ...ofPath } of CREATION_PATHS) {
      app.post(
        path,
        {
          config: changing,
          schema: {
            ...ofPath,
            summary: 'Create a rule',
            description: `Default \`status\`: draft. Default \`priority\`: after the last rule. ${LIMITS}`,
            headers: IfMatchSchema,
            body: CreateRuleSchema,
            response: { 201: RuleCreatedSchema },
          },
        },
        async (request, reply) => {
          const { params, user, body } = request;
          const redirectId = 'id' in params ? params.id : params.redirectId;
          return created(reply, await service.create(user, redirectId, body, options(request, reply)));
        },
      );
    }

    app.put(
      '/rules/redirect/:redirectId/reorder',
      {
        config: changing,
        schema: {
          operationId: 'reorderRules',
          summary: 'Reorder the rules of a redirect',
          params: RedirectIdParamSchema,
          headers: IfMatchSchema,
          body: ReorderRulesSchema,
          response: { 200: RulesReorderedSchema },
        },
      },
      async (request, reply) => {
        const { params, user, body, log } = request;
        const reordered = await service.reorder(user, params.redirectId, body.ruleIds, ifMatch(request));
        const rules = await records.all(reordered.rules, log);
        // That of `GET /rules/redirect/{redirectId}`.
        reply.header('ETag', entityTag(reordered.version, { rules }));
        return { message: 'The rules were reordered.', rules };
      },
    );

    app.get(
      '/rules/:ruleId',
      {
        config: reading,
        schema: {
          summary: 'Get a rule',
          params: RuleIdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: RuleAnswerSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) =>
        one(request, reply, await service.get(request.user.id, request.params.ruleId)),
    );

    app.put(
      '/rules/:ruleId',
      {
        config: changing,
        schema: {
          operationId: 'changeRule',
          summary: 'Change a rule',
          description: 'Members that are left out stay unchanged. `type` and `action` must fit each other.',
          params: RuleIdParamSchema,
          headers: IfMatchSchema,
          body: UpdateRuleSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        return one(request, reply, await service.update(user, params.ruleId, body, ifMatch(request)));
      },
    );

    app.patch(
      '/rules/:ruleId',
      {
        config: changing,
        schema: {
          summary: 'Change a rule',
          description: `JSON Merge Patch: only the members sent change, \`null\` sets the default. ${LIMITS}`,
          consumes: ['application/json', MERGE_PATCH],
          params: RuleIdParamSchema,
          headers: IfMatchSchema,
          body: PatchRuleSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const patch = { patch: body, requireUpdate };
        return one(request, reply, await service.patch(user, params.ruleId, patch, ifMatch(request)));
      },
    );

    app.put(
      '/rules/:ruleId/status',
      {
        config: changing,
        schema: {
          operationId: 'setRuleStatus',
          summary: 'Activate or deactivate a rule',
          description: 'Members other than `status` are ignored.',
          params: RuleIdParamSchema,
          headers: IfMatchSchema,
          body: RuleStatusSchema,
          response: { 200: RuleAnswerSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const change = { status: body.status };
        return one(request, reply, await service.update(user, params.ruleId, change, ifMatch(request)));
      },
    );

    app.post(
      '/rules/:ruleId/duplicate',
      {
        config: writing,
        schema: {
          summary: 'Copy a rule',
          description: 'The copy is a draft with the last priority.',
          params: RuleIdParamSchema,
          headers: IfMatchSchema,
          response: { 201: RuleCreatedSchema },
        },
      },
      async (request, reply) => {
        const { user, params } = request;
        return created(reply, await service.duplicate(user, params.ruleId, options(request, reply)));
      },
    );

    app.delete(
      '/rules/:ruleId',
      {
        config: changing,
        schema: {
          summary: 'Delete a rule',
          params: RuleIdParamSchema,
          headers: IfMatchSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { name } = await service.delete(request.user, request.params.ruleId, ifMatch(request));
        return { message: `The rule ${name} was deleted.` };
      },
    );
  };
}
