import type { FastifyPluginAsync } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { clientLeft } from '../../http/answer-over.js';
import { listOf } from '../../http/documented-formats.js';
import { commonQuery, RedirectParams, severalMetaSchema } from './analytics-schema.js';
import type { AnalyticsService, QuestionQuery } from './analytics-service.js';
import type { Question } from './question.js';
import { QUESTIONS } from './questions/questions.js';

const STATISTICS = 'stats/';

/** Statistics that can be included, by name: `basic` is `stats/basic`. */
const BY_NAME: ReadonlyMap<string, Question> = new Map(
  QUESTIONS.map((question) => [
    question.path.startsWith(STATISTICS) ? question.path.slice(STATISTICS.length) : question.path,
    question,
  ]),
);
const NAMES = [...BY_NAME.keys()];

interface SeveralRequest {
  Params: { redirectId: string };
  Querystring: QuestionQuery & { include: string };
}

/** Creates the endpoint that answers several questions about a redirect in one response. */
export function createSeveralRoute({
  analytics,
}: {
  readonly analytics: AnalyticsService;
}): FastifyPluginAsync {
  return async (app) => {
    app.get<SeveralRequest>(
      '/analytics/redirect/:redirectId/stats',
      {
        config: { scope: 'analytics:read' },
        schema: {
          tags: ['analytics'],
          operationId: 'getSeveralStats',
          summary: 'Several statistics in one request',
          description: 'Counts as one request, however many statistics it includes.',
          params: RedirectParams,
          querystring: Type.Object({ ...commonQuery(), include: IncludeSchema, ...allParameters() }),
          response: { 200: SeveralSchema },
        },
      },
      async ({ params, user, query }, reply) =>
        analytics.answerAll(
          includedIn(query.include),
          { userId: user.id, redirectId: params.redirectId, signal: clientLeft(reply) },
          query,
        ),
    );
  };
}

const IncludeSchema = Type.String({
  minLength: 1,
  maxLength: 1_000,
  documented: listOf(NAMES),
  description: 'Statistics to include, separated by commas.',
});

const SeveralSchema = Type.Object(
  {
    data: Type.Object(
      Object.fromEntries([...BY_NAME].map(([name, { data }]) => [name, Type.Optional(data)])),
      { description: 'Data of each included statistic, by name.' },
    ),
    meta: severalMetaSchema(Object.fromEntries([...BY_NAME].map(([name, { meta }]) => [name, meta]))),
  },
  { title: 'SeveralStats' },
);

/** Parameters of all questions. A statistic takes those that it knows. */
function allParameters(): TProperties {
  return Object.assign({}, ...QUESTIONS.map(({ query }) => query)) as TProperties;
}

/** @throws AppError INVALID_REQUEST naming the available statistics */
function includedIn(text: string): ReadonlyMap<string, Question> {
  const included = new Map<string, Question>();
  for (const name of text.split(',').map((part) => part.trim())) {
    const question = BY_NAME.get(name);
    if (question === undefined) {
      const message = `include must be names of statistics, separated by commas. There are: ${NAMES.join(', ')}.`;
      throw new AppError('INVALID_REQUEST', { message, field: 'include' });
    }
    included.set(name, question);
  }
  return included;
}
