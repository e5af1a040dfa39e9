import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AppError } from '../../errors/app-error.js';
import { clientLeft } from '../../http/answer-over.js';
import {
  entityTag,
  IfMatchSchema,
  IfNoneMatchSchema,
  ifMatch,
  NotModifiedSchema,
  tagged,
} from '../../http/entity-tags.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema } from '../../http/schema-parts.js';
import { shownId } from '../drafts/public.js';
import { TABLE_LIMIT_BYTES } from '../paths/public.js';
import type { Answer } from './answer-visit.js';
import {
  type AnswerRecord,
  ExampleListSchema,
  type ExamplesRun,
  ExamplesRunSchema,
  MAX_EXAMPLES,
  PutExamplesSchema,
  RunExamplesSchema,
} from './example-schema.js';
import { type ExampleRun, type ExampleService, tagVersion } from './example-service.js';

const EXAMPLES = '/redirects/:id/examples';
const reading = { scope: 'redirects:read' } as const;

/** Examples of redirects, and their runs. */
export function createExampleRoutes(service: ExampleService): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'examples');
    app.get(
      EXAMPLES,
      {
        config: reading,
        schema: {
          operationId: 'getExamples',
          summary: 'The examples of a redirect',
          params: IdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: ExampleListSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const stored = await service.get(request.user, request.params.id);
        return tagged(request, reply, tagVersion(stored), { data: [...stored.examples] });
      },
    );

    app.put(
      EXAMPLES,
      {
        config: { scope: 'redirects:write' },
        schema: {
          operationId: 'putExamples',
          summary: 'Replace the examples of a redirect',
          description: `Up to ${MAX_EXAMPLES}, in 1 MiB. Examples may fail. A later change that makes a passing example fail is refused with 409, unless it has \`force=true\`.`,
          params: IdParamSchema,
          headers: IfMatchSchema,
          body: PutExamplesSchema,
          response: { 200: ExampleListSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const stored = await service.put(user, params.id, body.examples, ifMatch(request));
        const list = { data: [...stored.examples] };
        reply.header('ETag', entityTag(tagVersion(stored), list));
        return list;
      },
    );

    app.post(
      `${EXAMPLES}/run`,
      {
        config: { ...reading, optionalBody: true },
        bodyLimit: TABLE_LIMIT_BYTES,
        schema: {
          operationId: 'runExamples',
          summary: 'Run the examples of a redirect',
          description:
            'Decides each example as data planes do, on the redirect as it is or on a draft, and counts nothing. The domain counts as verified. Chains through other redirects and takedowns are not looked at.',
          params: IdParamSchema,
          body: RunExamplesSchema,
          response: { 200: ExamplesRunSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const { draft } = body;
        if (draft === false) {
          const message = 'draft must be true, a draft, or be left out.';
          throw new AppError('VALIDATION_ERROR', { field: 'draft', message });
        }
        return runRecord(await service.run(user, params.id, draft, clientLeft(reply)));
      },
    );
  };
}

/** Returns a run as the API shows it. */
function runRecord({ state, results, sources }: ExampleRun): ExamplesRun {
  const passed = results.filter(({ passes }) => passes).length;
  const answerRecord = ({ ruleId, variant, entryId, ...answer }: Answer): AnswerRecord => ({
    ...answer,
    ruleId: ruleId === 0 ? null : shownId(ruleId),
    ruleName: state.rules.get(ruleId)?.name ?? null,
    variant: variant || null,
    source: sources.get(entryId) ?? null,
  });
  return {
    summary: { total: results.length, passed, failed: results.length - passed },
    results: results.map(({ example: { name }, passes, received, message }) => ({
      name,
      status: passes ? 'passed' : 'failed',
      received: received.map(answerRecord),
      message,
    })),
  };
}
