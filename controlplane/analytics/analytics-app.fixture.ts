import Fastify, { type FastifyInstance } from 'fastify';
import type { CurrentUser } from '../accounts/current-user.js';
import { createTestStore, silentLogger, type TestStore } from '../clickhouse/analytics-store.fixture.js';
import { AppError } from '../errors/app-error.js';
import { createTestProducer, type HitOptions } from '../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../ingest/hit-writer.js';
import { createRejectedBatches } from '../ingest/rejected-batches.js';
import { useErrorAnswers } from '../plugins/error-answers.js';
import { useRequestValidation } from '../plugins/request-validation.js';
import { createAnalyticsRoutes } from './analytics-routes.js';
import { createAnalyticsService } from './analytics-service.js';

/** The analytics area over a real store; the caller is `owner`, and what the clock says is fixed. */
export interface AnalyticsApp {
  readonly test: TestStore;
  /** Stores hits as one data plane's batch. */
  record(hits: readonly HitOptions[]): Promise<void>;
  /** Counts hits that a full buffer swallowed; known to the store with the next `record`. */
  drop(redirectId: string, hits: number): void;
  get(url: string): Promise<{ status: number; body: unknown }>;
  close(): Promise<void>;
}

export const NOW = new Date('2026-03-15T10:20:30.456Z');

/** Redirects whose id begins with `rd_` are the caller's own, those with `other_` are not; others there are none. */
export async function createAnalyticsApp(samplingRate = 1): Promise<AnalyticsApp> {
  const test = await createTestStore();
  const producer = createTestProducer('run1');
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  const app: FastifyInstance = Fastify();
  useErrorAnswers(app);
  useRequestValidation(app);
  app.decorateRequest('user', { getter: () => ({ id: 'owner' }) as CurrentUser });
  const analytics = createAnalyticsService({
    store: test.store,
    clock: () => NOW,
    redirects: {
      async requireOwned(id, userId) {
        if (id.startsWith('rd_') && userId === 'owner') return { id, samplingRate };
        throw new AppError(id.startsWith('other_') ? 'FORBIDDEN' : 'NOT_FOUND', { message: 'No.' });
      },
    },
  });
  await app.register(createAnalyticsRoutes({ analytics }));

  return {
    test,
    async record(hits) {
      const outcome = await writer.write(producer.batch(hits));
      if (outcome.status !== 'stored') throw new Error(`the batch is ${outcome.status}`);
    },
    drop: (redirectId, hits) => producer.drop(redirectId, hits),
    async get(url) {
      const answer = await app.inject({ url: `/analytics/redirect/${url}` });
      return { status: answer.statusCode, body: answer.json() };
    },
    async close() {
      await app.close();
      await test.remove();
    },
  };
}
