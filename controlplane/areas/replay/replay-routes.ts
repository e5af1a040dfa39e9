import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { IfNoneMatchSchema, NotModifiedSchema, tagged } from '../../http/entity-tags.js';
import { keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { decodeCursor, toPage } from '../../http/page-cursor.js';
import { IdParamSchema } from '../../http/schema-parts.js';
import type { ExplainHit } from './hit-explanation.js';
import { listedRecord, replayRecord } from './replay-result.js';
import {
  ExplainSchema,
  ExplanationSchema,
  NewReplaySchema,
  ReplayListQuerySchema,
  ReplayPageSchema,
  ReplaySchema,
} from './replay-schema.js';
import type { ReplayService } from './replay-service.js';

// Answers contain facts about visits, like statistics.
const reading = { scope: 'analytics:read' } as const;

/** Routes of replays and of explained hits. They change nothing that visitors get. */
export function createReplayRoutes(
  service: ReplayService,
  explainHit: ExplainHit,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'analytics');
    app.post(
      '/redirects/:id/replay',
      {
        config: reading,
        schema: {
          operationId: 'startReplay',
          summary: 'Replay recorded visits',
          description:
            'Compares in the background what the recorded visits of a period received with what a draft or a version would answer. Nothing is guessed: visits about which a missing fact decides are `unjudged`.',
          params: IdParamSchema,
          body: NewReplaySchema,
          response: { 202: ReplaySchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const keep = keepAnswer(request, reply, 202, replayRecord);
        return reply.code(202).send(replayRecord(await service.create(user, params.id, body, keep)));
      },
    );

    app.get(
      '/redirects/:id/replays',
      {
        config: reading,
        schema: {
          operationId: 'listReplays',
          summary: 'List the replays of a redirect, newest first',
          description:
            'Replays are kept for 30 days, the newest 50 of a user. Changes, rules and gaps are in `GET /replays/{id}`.',
          params: IdParamSchema,
          querystring: ReplayListQuerySchema,
          headers: IfNoneMatchSchema,
          response: { 200: ReplayPageSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const { user, params, query } = request;
        const rows = await service.page(user.id, params.id, decodeCursor(query.cursor), query.limit);
        return tagged(request, reply, `l${rows.length}`, toPage(rows, query.limit, listedRecord));
      },
    );

    app.get(
      '/replays/:id',
      {
        config: reading,
        schema: {
          summary: 'A replay: its progress and its result',
          params: IdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: ReplaySchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const replay = await service.requireOwned(request.params.id, request.user.id);
        const { state, progress, attempts } = replay;
        // A result never changes, so the state of the replay identifies it.
        return tagged(request, reply, `r${attempts}`, replayRecord(replay), { state, progress });
      },
    );

    app.post(
      '/replays/:id/cancel',
      {
        config: reading,
        schema: {
          operationId: 'cancelReplay',
          summary: 'Cancel a replay',
          description: 'A replay that has ended stays as it is.',
          params: IdParamSchema,
          response: { 200: ReplaySchema },
        },
      },
      async ({ user, params }) => replayRecord(await service.cancel(params.id, user.id)),
    );

    app.post(
      '/redirects/:id/explain',
      {
        config: reading,
        schema: {
          operationId: 'explainHit',
          summary: 'Explain the decision about a recorded hit',
          description:
            'Evaluates the version that answered, or the current one if that is not known, on what the hit holds.',
          params: IdParamSchema,
          body: ExplainSchema,
          response: { 200: ExplanationSchema },
        },
      },
      async ({ user, params, body }) => explainHit(user.id, params.id, body.hitId),
    );
  };
}
