import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LARGE_BODY_TIMEOUT_MS } from '../../http/body-timeouts.js';
import { entityTag, IfMatchSchema, ifMatch } from '../../http/entity-tags.js';
import { keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { MessageSchema } from '../../http/schema-parts.js';
import {
  CollapseQuerySchema,
  NewTableSchema,
  RedirectParamSchema,
  TableReplacedSchema,
  TestedPathsSchema,
  TestPathsSchema,
} from './path-schema.js';
import type { PathTest } from './path-test.js';
import type { PathVersions } from './path-versions.js';
import {
  DEFAULT_LIMIT,
  PATH,
  readCursor,
  replaced,
  replacedBody,
  TABLE_LIMIT_BYTES,
  tableOf,
  URLS_LIMIT_BYTES,
  writeCursor,
} from './route-parts.js';
import { DiffSchema, PageQuerySchema, StagedListSchema } from './version-schema.js';

export interface VersionRoutesDeps {
  readonly versions: PathVersions;
  readonly test: PathTest;
}

const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;
const changing = { ...writing, checksExamples: true } as const;
const STAGED = `${PATH}/staged`;

/** Routes of staged and previous tables. */
export function createVersionRoutes({ versions, test }: VersionRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'paths');
    app.put(
      STAGED,
      {
        config: { ...writing, bodyTimeoutMs: LARGE_BODY_TIMEOUT_MS },
        bodyLimit: TABLE_LIMIT_BYTES,
        schema: {
          operationId: 'stageRedirectPaths',
          summary: 'Upload a table beside the live one',
          description:
            'The live table stays until this one is published. The staged table is validated like a live one. Missing options are those of the live table.',
          params: RedirectParamSchema,
          querystring: CollapseQuerySchema,
          body: NewTableSchema,
          response: { 200: TableReplacedSchema },
        },
      },
      async ({ params, user, body, query }) => {
        const { total, diagnostics } = await versions.stage(user, params.id, tableOf(body), query.collapse);
        return { summary: { total }, diagnostics: [...diagnostics] };
      },
    );

    app.get(
      STAGED,
      {
        config: reading,
        schema: {
          operationId: 'getStagedRedirectPaths',
          summary: 'The staged table of paths',
          params: RedirectParamSchema,
          querystring: PageQuerySchema,
          response: { 200: StagedListSchema },
        },
      },
      async ({ params, user, query: { limit = DEFAULT_LIMIT, cursor } }) => {
        const after = readCursor(cursor);
        const staged = await versions.staged(user.id, params.id, { after, limit: limit + 1 });
        return {
          data: staged.entries.slice(0, limit),
          page: pageOf(staged.entries.length, after, limit),
          options: staged.options,
          summary: { total: staged.entryCount },
          createdAt: staged.createdAt.toISOString(),
        };
      },
    );

    app.delete(
      STAGED,
      {
        config: writing,
        schema: {
          operationId: 'discardStagedRedirectPaths',
          summary: 'Discard the staged table of paths',
          params: RedirectParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async ({ params, user }) => {
        await versions.discard(user, params.id);
        return { message: 'The staged table was discarded.' };
      },
    );

    app.get(
      `${STAGED}/diff`,
      {
        config: reading,
        schema: {
          operationId: 'compareStagedRedirectPaths',
          summary: 'Differences between the staged and the live table',
          description:
            'Compares entries by source, query and pathEnding. The `ETag` is that of the live table: with `If-Match`, only the table that was compared is replaced.',
          params: RedirectParamSchema,
          querystring: PageQuerySchema,
          response: { 200: DiffSchema },
        },
      },
      async ({ params, user, query: { limit = DEFAULT_LIMIT, cursor } }, reply) => {
        const after = readCursor(cursor);
        const diff = await versions.diff(user.id, params.id, { after, limit: limit + 1 });
        const body = {
          summary: diff.counts,
          options: diff.options,
          data: diff.differences.slice(0, limit),
          page: pageOf(diff.differences.length, after, limit),
        };
        reply.header('ETag', entityTag(diff.version, body));
        return body;
      },
    );

    app.post(
      `${STAGED}/test`,
      {
        config: reading,
        bodyLimit: URLS_LIMIT_BYTES,
        schema: {
          operationId: 'testStagedRedirectPaths',
          summary: 'Test the staged table with URLs',
          description:
            'Works like the test of the live table. `entryId` is null because entries get ids when they are published.',
          params: RedirectParamSchema,
          body: TestPathsSchema,
          response: { 200: TestedPathsSchema },
        },
      },
      async ({ params, user, body }) => ({ results: await test.staged(user.id, params.id, body.urls) }),
    );

    app.post(
      `${STAGED}/publish`,
      {
        config: changing,
        schema: {
          operationId: 'publishStagedRedirectPaths',
          summary: 'Make the staged table of paths the live one',
          description: 'Publishes in one step. The live table becomes the previous one.',
          params: RedirectParamSchema,
          querystring: CollapseQuerySchema,
          headers: IfMatchSchema,
          response: { 200: TableReplacedSchema },
        },
      },
      async (request, reply) => {
        const options = { ...replaceOptions(request, reply), collapse: request.query.collapse };
        return replaced(reply, await versions.publish(request.user, request.params.id, options));
      },
    );

    app.post(
      `${PATH}/restore`,
      {
        config: changing,
        schema: {
          operationId: 'restoreRedirectPaths',
          summary: 'Restore the table of paths before the last replacement',
          description:
            'Undoes the last PUT or publication: the previous table becomes the live one. Entries get their ids and hits back.',
          params: RedirectParamSchema,
          headers: IfMatchSchema,
          response: { 200: TableReplacedSchema },
        },
      },
      async (request, reply) => {
        const options = replaceOptions(request, reply);
        return replaced(reply, await versions.restore(request.user, request.params.id, options));
      },
    );
  };
}

function replaceOptions(request: FastifyRequest, reply: FastifyReply) {
  return { precondition: ifMatch(request), keep: keepAnswer(request, reply, 200, replacedBody) };
}

/** @param found number of rows that were read; one more than `limit` if further rows exist */
function pageOf(found: number, after: number, limit: number) {
  return { limit, nextCursor: found > limit ? writeCursor(after + limit) : null };
}
