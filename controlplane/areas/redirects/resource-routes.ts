import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IfMatchSchema, IfNoneMatchSchema, ifMatch, NotModifiedSchema } from '../../http/entity-tags.js';
import { MERGE_PATCH } from '../../http/json-bodies.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import { sendJson } from '../../http/send-json.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import type { RedirectAnswers } from './redirect-answers.js';
import { ListQuerySchema, RedirectPageSchema } from './redirect-list-schema.js';
import type { ReadList } from './redirect-lists.js';
import { CreateRedirectSchema, PatchRedirectSchema, RedirectSchema } from './redirect-schema.js';
import type { RedirectService } from './redirect-service.js';

export interface ResourceRoutesDeps {
  readonly service: RedirectService;
  readonly answers: RedirectAnswers;
  readonly readList: ReadList;
}

export const DELETION = `Visitors get 404 at once. \`POST /redirects/{id}/restore\` restores the redirect within ${RESTORABLE_DAYS} days, with its rules and statistics. A deleted redirect does not count against the plan, and its domain is free.`;

const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;
const changing = { ...writing, checksExamples: true } as const;

/** Redirects as resources: `/redirects` and `/redirects/{id}`. The plugin that registers them sets their tag. */
export function createResourceRoutes({
  service,
  answers,
  readList,
}: ResourceRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/redirects',
      {
        config: reading,
        schema: {
          summary: 'Your redirects, page by page',
          description:
            'Pages are stable while redirects are created and deleted. `page.nextCursor` is the `cursor` of the next page. With a filter and very many redirects, a page can have fewer than `limit`, or none, before the last one.',
          querystring: ListQuerySchema,
          response: { 200: RedirectPageSchema },
        },
      },
      async ({ user, query, log }, reply) => {
        const serialize = reply.getSerializationFunction('200') ?? JSON.stringify;
        return sendJson(reply, await readList(user, query, { log, serialize }));
      },
    );

    app.post(
      '/redirects',
      {
        config: writing,
        schema: {
          summary: 'Create a redirect',
          description:
            '`fromDomain` may be a wildcard like `*.example.com`. It covers all names below, at any depth; more exact hosts come first. A TXT record of the zone proves it.',
          body: CreateRedirectSchema,
          response: { 201: RedirectSchema },
        },
      },
      async (request, reply) =>
        answers.created(
          request,
          reply,
          await service.create(
            request.user,
            { ...request.body, takesWildcard: true },
            answers.keepCreated(request, reply),
          ),
        ),
    );

    app.get(
      '/redirects/:id',
      {
        config: reading,
        schema: {
          summary: 'Get a redirect',
          params: IdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: RedirectSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) =>
        answers.one(request, reply, await service.requireOwned(request.params.id, request.user.id)),
    );

    app.patch(
      '/redirects/:id',
      {
        config: changing,
        schema: {
          summary: 'Change a redirect',
          description: 'JSON Merge Patch. Members that are left out stay unchanged. `null` sets the default.',
          consumes: ['application/json', MERGE_PATCH],
          params: IdParamSchema,
          headers: IfMatchSchema,
          body: PatchRedirectSchema,
          response: { 200: RedirectSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        return answers.one(request, reply, await service.patch(user, params.id, body, ifMatch(request)));
      },
    );

    app.delete(
      '/redirects/:id',
      {
        config: writing,
        schema: {
          summary: 'Delete a redirect and its rules',
          description: DELETION,
          params: IdParamSchema,
          headers: IfMatchSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) =>
        answers.deleted(await service.delete(request.user, request.params.id, ifMatch(request))),
    );

    app.post(
      '/redirects/:id/restore',
      {
        config: writing,
        schema: {
          summary: 'Restore a deleted redirect',
          description: `Restores a redirect with its rules and statistics within ${RESTORABLE_DAYS} days after its deletion. It stays verified unless another user has verified the domain since. A redirect that is not deleted is not changed.`,
          params: IdParamSchema,
          response: { 200: RedirectSchema },
        },
      },
      async (request, reply) =>
        answers.one(request, reply, await service.restore(request.user, request.params.id)),
    );
  };
}
