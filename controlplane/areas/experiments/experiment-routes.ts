import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientLeft } from '../../http/answer-over.js';
import { LARGE_BODY_TIMEOUT_MS } from '../../http/body-timeouts.js';
import { useTag } from '../../http/openapi-tags.js';
import type { PostConversions } from './conversion-service.js';
import {
  ConversionsAnswerSchema,
  ConversionsSchema,
  ExperimentParamsSchema,
  MAX_CONVERSIONS_AT_ONCE,
  ResultsQuerySchema,
  ResultsSchema,
} from './experiment-schema.js';
import type { ReadResults } from './results-service.js';

/** 10,000 conversions with long ids. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export function createExperimentRoutes(
  readResults: ReadResults,
  postConversions: PostConversions,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'experiments');
    app.get(
      '/experiments/:ruleId/results',
      {
        config: { scope: 'analytics:read' },
        schema: {
          operationId: 'getExperimentResults',
          summary: 'How an experiment is going, and how sure that is',
          description:
            'The p-value and the intervals of `lift` and `difference` stay valid if you look every day and stop when you like.',
          params: ExperimentParamsSchema,
          querystring: ResultsQuerySchema,
          response: { 200: ResultsSchema },
        },
      },
      async ({ user, params, query }, reply) =>
        readResults({ userId: user.id, ruleId: params.ruleId, signal: clientLeft(reply) }, query),
    );

    app.post(
      '/experiments/:ruleId/conversions',
      {
        bodyLimit: MAX_BODY_BYTES,
        config: { scope: 'redirects:write', bodyTimeoutMs: LARGE_BODY_TIMEOUT_MS },
        schema: {
          operationId: 'postConversions',
          summary: 'Report conversions of the visitors of an experiment',
          description: `Up to ${MAX_CONVERSIONS_AT_ONCE} at a time. Each \`id\` counts once for an experiment, so a call can be repeated. A visit is known some seconds after it.`,
          params: ExperimentParamsSchema,
          body: ConversionsSchema,
          response: { 200: ConversionsAnswerSchema },
        },
      },
      async ({ user, params, body }, reply) =>
        postConversions({
          userId: user.id,
          ruleId: params.ruleId,
          conversions: body.conversions,
          signal: clientLeft(reply),
        }),
    );
  };
}
