import { expect } from 'vitest';
import { createClickIds } from '../../../shared/visitor/click-id.js';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { createTestProducer, type HitOptions } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import { createShownVisitor } from '../analytics/public.js';
import { type RulesApi, startRulesApi } from '../rules/rules-api.fixture.js';
import type { ConversionUpkeep } from './conversion-upkeep.js';
import { createExperiments } from './experiments.js';

export const SECRET = Buffer.from('a secret for tests only');
export const NOW = new Date('2026-03-15T10:20:30.456Z');

/** Functions for the visitor ids that a user sees, and for click ids. */
export const shownVisitor = createShownVisitor(SECRET);
export const clickIds = createClickIds(SECRET);

/** Experiments on a real database and a real store. The clock of the area says `NOW`. */
export interface ExperimentsApi {
  readonly rules: RulesApi;
  readonly test: TestStore;
  readonly upkeep: ConversionUpkeep;
  /** Stores hits as one data plane's batch. */
  record(hits: readonly HitOptions[]): Promise<void>;
  results(user: TestUser, ruleId: number | string, query?: string): Promise<ApiAnswer>;
  post(user: TestUser, ruleId: number | string, conversions: readonly object[]): Promise<ApiAnswer>;
  /** Creates an active A/B test with these weights, named A, B, C …, on a separate redirect. */
  createTest(user: TestUser, weights?: readonly number[]): Promise<Experiment>;
  /** Days that every plan keeps hits; undefined for ever. */
  retentionDays: number | undefined;
  close(): Promise<void>;
}

export interface Experiment {
  readonly ruleId: number;
  readonly redirectId: string;
  readonly host: string;
}

/** Returns the time of a hit, `ms` milliseconds after the start of a day. */
export function timestamp(ms: number, day = '2026-03-10'): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + ms).toISOString().replace('T', ' ').replace('Z', '');
}

export const variantsOf = (weights: readonly number[]) =>
  weights.map((percentage, index) => ({
    name: String.fromCharCode(65 + index),
    percentage,
    url: `https://variant-${index}.example/`,
  }));

export async function startExperimentsApi(): Promise<ExperimentsApi> {
  const test = await createTestStore();
  const producer = createTestProducer('run1');
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  let upkeep: ConversionUpkeep | undefined;
  const rules = await startRulesApi({
    areas({ database, redirects }) {
      const area = createExperiments({
        database,
        store: test.store,
        redirects,
        secrets: { current: SECRET, previous: [] },
        retentionDaysOf: async () => experiments.retentionDays,
        logger: silentLogger,
        now: () => NOW,
      });
      upkeep = area.upkeep;
      return area.routes;
    },
  });
  const experiments: ExperimentsApi = {
    rules,
    test,
    upkeep: upkeep!,
    retentionDays: undefined,
    async record(hits) {
      const outcome = await writer.write(producer.batch(hits));
      if (outcome.status !== 'stored') throw new Error(`the batch is ${outcome.status}`);
    },
    results: ({ token }, ruleId, query = 'start=2026-03-01') =>
      rules.api.call('GET', `/experiments/${ruleId}/results?${query}`, { token }),
    post: ({ token }, ruleId, conversions) =>
      rules.api.call('POST', `/experiments/${ruleId}/conversions`, { token, body: { conversions } }),
    async createTest(user, weights = [50, 50]) {
      const { id, host } = await rules.createRedirect(user);
      const action = { type: 'ab_test', variants: variantsOf(weights) };
      const rule = await rules.createRule(user, id, { type: 'ab_experiment', action });
      expect(rule.id).toBeGreaterThan(0);
      return { ruleId: rule.id, redirectId: id, host };
    },
    async close() {
      await rules.close();
      await test.remove();
    },
  };
  return experiments;
}
