import Fastify, { type FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { AppError } from '../../../errors/app-error.js';
import type { CurrentUser } from '../../../http/current-user.js';
import { useErrorAnswers } from '../../../http/error-answers.js';
import { useOpenApi } from '../../../http/openapi.js';
import { createAnswerCheck, type OpenApiDocument } from '../../../http/openapi-answers.fixture.js';
import { useRequestValidation } from '../../../http/request-validation.js';
import type { AnalyticsStore } from '../../../storage/clickhouse/analytics-store.js';
import { type AnalyticsApp, createAnalyticsApp, NOW, shownVisitor } from '../analytics-app.fixture.js';
import { createAnalyticsService } from '../analytics-service.js';
import type { SourceChoice } from '../source.js';
import { createHitRoutes } from './hit-routes.js';

/** The endpoints of single hits on a real store. The caller is `owner`, as in `AnalyticsApp`. */
export interface HitsApp extends AnalyticsApp {
  /** Returns an answer that is not JSON. */
  readonly app: FastifyInstance;
  /** The same endpoints, which end an export after this time without a reader. The caller closes it. */
  withStallOf(exportStallMs: number): Promise<FastifyInstance>;
  /** Number of chunks of hits that were read. */
  readonly reads: () => number;
  /** Makes the store fail after this number of reads. */
  failAfter(reads: number): void;
}

export async function createHitsApp(): Promise<HitsApp> {
  const analytics = await createAnalyticsApp();
  let reads = 0;
  let allowedReads = Number.POSITIVE_INFINITY;
  const store: AnalyticsStore = {
    ...analytics.test.store,
    queryLines(sql, ...rest) {
      reads += 1;
      return analytics.test.store.queryLines(reads > allowedReads ? 'SELECT nothing' : sql, ...rest);
    },
  };
  const apps = { best: await buildHitsArea(store, 'best'), hits: await buildHitsArea(store, 'hits') };
  const check = createAnswerCheck((await apps.best.inject('/openapi.json')).json<OpenApiDocument>());

  return {
    ...analytics,
    app: apps.best,
    withStallOf: (exportStallMs) => buildHitsArea(store, 'best', exportStallMs),
    reads: () => reads,
    failAfter(allowed) {
      allowedReads = reads + allowed;
    },
    async get(path, source = 'best') {
      const url = `/analytics/redirect/${path}`;
      const answer = await apps[source].inject({ url });
      const { statusCode: status } = answer;
      expect(check({ method: 'GET', url, status, json: answer.json() })).toBeUndefined();
      return { status, body: answer.json() };
    },
    async close() {
      await Promise.all(Object.values(apps).map((app) => app.close()));
      await analytics.close();
    },
  };
}

async function buildHitsArea(
  store: AnalyticsStore,
  source: SourceChoice,
  exportStallMs?: number,
): Promise<FastifyInstance> {
  const app = Fastify();
  useErrorAnswers(app);
  useRequestValidation(app);
  await useOpenApi(app, { version: '0.0.0-test' });
  app.decorateRequest('user', { getter: () => ({ id: 'owner' }) as CurrentUser });
  const analytics = createAnalyticsService({
    store,
    source,
    shownVisitor,
    clock: () => NOW,
    redirects: {
      async requireOwned(id) {
        if (id.startsWith('rd_')) return { id, samplingRate: 1 };
        throw new AppError(id.startsWith('other_') ? 'FORBIDDEN' : 'NOT_FOUND', { message: 'No.' });
      },
    },
  });
  await app.register(createHitRoutes({ analytics, ...(exportStallMs !== undefined && { exportStallMs }) }));
  return app;
}
