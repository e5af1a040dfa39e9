import type { FastifyPluginAsync } from 'fastify';
import { createTestProducer, type HitOptions } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import { createTestStore, silentLogger } from '../../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { type RulesApi, type RulesApiParts, startRulesApi } from './rules-api.fixture.js';

/** The rules area, and areas that read hits of a real store. */
export interface RuleAnalyticsApi extends RulesApi {
  /** Stores hits as one data plane's batch, with the counters of the rules that decided them. */
  record(hits: readonly HitOptions[]): Promise<void>;
  /** Makes the store unavailable, or available again. */
  cutStore(away: boolean): void;
}

export async function startRuleAnalyticsApi(
  areas: (parts: RulesApiParts, store: AnalyticsStore) => readonly FastifyPluginAsync[],
): Promise<RuleAnalyticsApi> {
  const test = await createTestStore();
  const producer = createTestProducer('run1');
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  let isAway = false;
  const store: AnalyticsStore = {
    ...test.store,
    query: (sql, params) =>
      isAway
        ? Promise.reject(new AnalyticsStoreError('unavailable', new Error('connect ECONNREFUSED')))
        : test.store.query(sql, params),
  };
  const area = await startRulesApi({ areas: (parts) => areas(parts, store) });
  return {
    ...area,
    async record(hits) {
      const outcome = await writer.write(producer.batch(hits));
      if (outcome.status !== 'stored') throw new Error(`the batch is ${outcome.status}`);
    },
    cutStore(away) {
      isAway = away;
    },
    async close() {
      await area.close();
      await test.remove();
    },
  };
}
