import Fastify, { type FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { useErrorAnswers } from '../../http/error-answers.js';
import { useOpenApi } from '../../http/openapi.js';
import { createAnswerCheck, type OpenApiDocument } from '../../http/openapi-answers.fixture.js';
import { useRequestValidation } from '../../http/request-validation.js';
import { createTestProducer, type HitOptions } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { createAnalyticsRoutes } from './analytics-routes.js';
import { createAnalyticsService } from './analytics-service.js';
import type { PathEntries } from './path-entries.js';
import type { Select } from './roll-ups.fixture.js';
import { createShownVisitor } from './shown-visitor.js';
import type { SourceChoice } from './source.js';

/** The analytics area on a real store. The caller is `owner`, and the clock is fixed. */
export interface AnalyticsApp {
  readonly test: TestStore;
  /** Stores hits as one data plane's batch. */
  record(hits: readonly HitOptions[]): Promise<void>;
  /** Counts hits that a full buffer dropped. The store learns them with the next `record`. */
  drop(redirectId: string, hits: number): void;
  /** Requests a path below `/analytics/redirect/`. Every answer must match the OpenAPI document. */
  get(url: string, source?: SourceChoice): Promise<{ status: number; body: unknown }>;
  /** Returns the text of a file below `/analytics/redirect/`. */
  download(url: string): Promise<string>;
  /** Returns the SELECTs that answer `url`. */
  selectsFor(url: string, source?: SourceChoice): Promise<readonly Select[]>;
  close(): Promise<void>;
}

/** Names of the redirects' rules. */
const RULE_NAMES: ReadonlyMap<number, string> = new Map([[12, 'Phones']]);

/** Tables of paths for all redirects: two entries, one of which was never hit. */
const PATH_ENTRIES: PathEntries = {
  async named(_, ids) {
    const entry = { source: '/seven', destination: '/7', lastHitAt: new Date('2026-03-01T00:00:00Z') };
    return new Map(ids.includes(7) ? [[7, entry]] : []);
  },
  neverHit: async () => ({
    totalEntries: 2,
    totalNeverHit: 1,
    entries: [{ id: 8, source: '/eight', destination: null }],
  }),
};

export const shownVisitor = createShownVisitor(Buffer.from('a secret for tests only'));

/** The id shown to `owner` for the visitor of a hit at this time: `YYYY-MM-DD hh:mm:ss.sss`. */
export function shownToOwner(timestamp: string, visitorId: string): string {
  return shownVisitor('owner', Date.parse(`${timestamp.replace(' ', 'T')}Z`), visitorId);
}

export const NOW = new Date('2026-03-15T10:20:30.456Z');

/**
 * Redirects whose id begins with `rd_` belong to the caller, those with `other_` to others. No other redirects exist.
 */
export async function createAnalyticsApp(samplingRate = 1): Promise<AnalyticsApp> {
  const test = await createTestStore();
  const producer = createTestProducer('run1');
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  const selects: Select[] = [];
  const store: AnalyticsStore = {
    ...test.store,
    query(sql, params = {}, limits = {}) {
      selects.push({ sql, params });
      return test.store.query(sql, params, limits);
    },
  };
  const apps = {
    best: await buildArea(store, samplingRate, 'best'),
    hits: await buildArea(store, samplingRate, 'hits'),
  };
  const { body } = await apps.best.inject('/openapi.json');
  const check = createAnswerCheck(JSON.parse(body) as OpenApiDocument);

  return {
    test,
    async record(hits) {
      const outcome = await writer.write(producer.batch(hits));
      if (outcome.status !== 'stored') throw new Error(`the batch is ${outcome.status}`);
    },
    drop: (redirectId, hits) => producer.drop(redirectId, hits),
    async get(path, source = 'best') {
      const url = `/analytics/redirect/${path}`;
      const answer = await apps[source].inject({ url });
      const { statusCode: status } = answer;
      expect(check({ method: 'GET', url, status, json: answer.json() })).toBeUndefined();
      return { status, body: answer.json() };
    },
    async download(path) {
      const answer = await apps.best.inject({ url: `/analytics/redirect/${path}` });
      expect(answer.statusCode).toBe(200);
      return answer.body;
    },
    async selectsFor(path, source = 'best') {
      selects.length = 0;
      expect(await apps[source].inject({ url: `/analytics/redirect/${path}` })).toMatchObject({
        statusCode: 200,
      });
      return [...selects];
    },
    async close() {
      await Promise.all(Object.values(apps).map((app) => app.close()));
      await test.remove();
    },
  };
}

async function buildArea(
  store: AnalyticsStore,
  samplingRate: number,
  source: SourceChoice,
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
    ruleNamesOf: async () => RULE_NAMES,
    pathEntries: PATH_ENTRIES,
    redirects: {
      async requireOwned(id, userId) {
        if (id.startsWith('rd_') && userId === 'owner') return { id, samplingRate };
        throw new AppError(id.startsWith('other_') ? 'FORBIDDEN' : 'NOT_FOUND', { message: 'No.' });
      },
    },
  });
  await app.register(createAnalyticsRoutes({ analytics }));
  return app;
}
