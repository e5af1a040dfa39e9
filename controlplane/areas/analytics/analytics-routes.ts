import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import type { Area } from '../../area.js';
import { clientLeft } from '../../http/answer-over.js';
import { answerSchema, commonQuery, RedirectParams } from './analytics-schema.js';
import {
  type AnalyticsService,
  type AnalyticsServiceDeps,
  createAnalyticsService,
  type QuestionQuery,
} from './analytics-service.js';
import type { Question } from './question.js';
import { createHitRoutes } from './questions/hit-routes.js';
import { QUESTIONS } from './questions/questions.js';
import { createSeveralRoute } from './several-route.js';
import { createShownVisitor } from './shown-visitor.js';

export interface AnalyticsRoutesDeps {
  readonly analytics: AnalyticsService;
}

interface QuestionRequest {
  Params: { redirectId: string };
  Querystring: QuestionQuery;
}

/** Routes with one endpoint for each question about a redirect. */
export function createAnalyticsRoutes({ analytics }: AnalyticsRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    for (const question of QUESTIONS) addRoute(app, question, analytics);
    await app.register(createHitRoutes({ analytics }));
    await app.register(createSeveralRoute({ analytics }));
  };
}

function addRoute(app: FastifyInstance, question: Question, analytics: AnalyticsService): void {
  app.get<QuestionRequest>(
    `/analytics/redirect/:redirectId/${question.path}`,
    {
      config: { scope: 'analytics:read' },
      schema: {
        tags: ['analytics'],
        operationId: `get${question.title}`,
        summary: question.summary,
        params: RedirectParams,
        querystring: Type.Object({ ...commonQuery(question.bots), ...question.query }),
        response: { 200: answerSchema(question.title, question.data, question.meta) },
      },
    },
    async ({ params, user, query }, reply) => {
      const asker = { userId: user.id, redirectId: params.redirectId, signal: clientLeft(reply) };
      return analytics.answer(question, asker, query);
    },
  );
}

export interface AnalyticsDeps extends Omit<AnalyticsServiceDeps, 'shownVisitor' | 'clock' | 'source'> {
  /** The installation's secret, from which shown visitor ids derive. */
  readonly secret: Buffer;
}

/** Statistics, hits and exports of one redirect. */
export function createAnalytics({ secret, ...deps }: AnalyticsDeps): Area {
  const analytics = createAnalyticsService({ ...deps, shownVisitor: createShownVisitor(secret) });
  return { routes: [createAnalyticsRoutes({ analytics })], jobs: [] };
}
