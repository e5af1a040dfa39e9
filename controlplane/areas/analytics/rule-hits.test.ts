import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RuleCounters } from '../../../shared/hits/hit-batch.js';
import { encodedBatch } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { createRuleHitsReader } from './rule-hits.js';

let test: TestStore;
let sequence = 0;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

const NEVER = 3_600_000;

/** The totals of a producer, as it sends them. */
type Totals = readonly [
  redirectId: string,
  ruleId: number,
  variant: string,
  hits: number,
  humanHits?: number,
];

async function report(producerId: string, ...totals: Totals[]): Promise<void> {
  const rejected = createRejectedBatches(`${test.dataDir}/rejected`);
  const writer = createHitWriter({ store: test.store, rejected, logger: silentLogger });
  const ruleCounters = totals.map(
    ([redirectId, ruleId, variant, hits, humanHits = 0]): RuleCounters => ({
      redirectId,
      ruleId,
      variant,
      hits,
      humanHits,
    }),
  );
  sequence += 1;
  const outcome = await writer.write(encodedBatch(producerId, { sequence, ruleCounters }));
  expect(outcome.status).toBe('stored');
}

/** The store, counting questions; each of them waits for `ready`. */
function observed(ready: Promise<unknown> = Promise.resolve()) {
  let queries = 0;
  const store: AnalyticsStore = {
    ...test.store,
    async query<Row extends object>(...args: Parameters<AnalyticsStore['query']>) {
      queries += 1;
      await ready;
      return test.store.query<Row>(...args);
    },
  };
  return { store, queries: () => queries };
}

it('the hits of a rule are the newest totals of every producer, by variant', async () => {
  await report('run1', ['rd_a', 1, '', 5, 4], ['rd_a', 2, 'blue', 10, 9], ['rd_a', 2, 'green', 20, 7]);
  await report('run2', ['rd_a', 2, 'blue', 300, 30], ['rd_b', 9, '', 1]);
  await report('run1', ['rd_a', 1, '', 8, 5], ['rd_a', 2, 'blue', 11, 9]);
  await report('run3', ['rd_a', 1, '', 1000]);
  const reader = createRuleHitsReader(test.store);
  expect(await reader.hitsOf('rd_a')).toEqual(
    new Map([
      [1, { hits: 1008, humanHits: 5, variants: new Map([['', { hits: 1008, humanHits: 5 }]]) }],
      [
        2,
        {
          hits: 331,
          humanHits: 46,
          variants: new Map([
            ['blue', { hits: 311, humanHits: 39 }],
            ['green', { hits: 20, humanHits: 7 }],
          ]),
        },
      ],
    ]),
  );
  expect(await reader.hitsOf('rd_unknown')).toEqual(new Map());
});

it('the same totals once more, or older ones that come late, change nothing', async () => {
  await report('run1', ['rd_late', 1, '', 7]);
  await report('run1', ['rd_late', 1, '', 7]);
  await report('run1', ['rd_late', 1, '', 3]);
  await test.store.command('OPTIMIZE TABLE rule_counters FINAL');
  const hits = await createRuleHitsReader(test.store).hitsOf('rd_late');
  expect(hits.get(1)?.hits).toBe(7);
});

it('all who ask at the same time, and for a moment thereafter, share one question', async () => {
  await report('run1', ['rd_c', 1, '', 1], ['rd_d', 2, '', 2]);
  const { store, queries } = observed();
  const reader = createRuleHitsReader(store, { maxAgeMs: NEVER });
  await Promise.all([reader.hitsOf('rd_c'), reader.hitsOf('rd_c'), reader.hitsOf('rd_d')]);
  const [first, second] = [await reader.hitsOf('rd_c'), await reader.hitsOf('rd_d')];
  expect([first.get(1)?.hits, second.get(2)?.hits]).toEqual([1, 2]);
  expect(queries()).toBe(2);
});

it('hits are read anew when what is remembered is old', async () => {
  await report('run1', ['rd_e', 1, '', 1]);
  const reader = createRuleHitsReader(test.store, { maxAgeMs: 1 });
  const hits = async () => (await reader.hitsOf('rd_e')).get(1)?.hits;
  expect(await hits()).toBe(1);
  await report('run1', ['rd_e', 1, '', 2]);
  await expect.poll(hits).toBe(2);
});

it('hits are not waited for when the store is busy, which is asked no second time meanwhile', async () => {
  await report('run1', ['rd_f', 1, '', 4]);
  let answer = () => {};
  const { store, queries } = observed(
    new Promise<void>((resolve) => {
      answer = resolve;
    }),
  );
  const reader = createRuleHitsReader(store, { timeoutMs: 10, maxAgeMs: NEVER });
  for (const attempt of [1, 2]) {
    await expect(reader.hitsOf('rd_f'), `attempt ${attempt}`).rejects.toMatchObject({
      failure: 'unavailable',
      message: 'no answer within 10 ms',
    });
  }
  answer();
  await expect.poll(() => reader.hitsOf('rd_f').catch(() => undefined)).toBeDefined();
  expect((await reader.hitsOf('rd_f')).get(1)?.hits).toBe(4);
  expect(queries()).toBe(1);
});

it('a failure of the store is passed on and not remembered', async () => {
  await report('run1', ['rd_g', 1, '', 6]);
  const failure = new AnalyticsStoreError('unavailable', new Error('the connection broke'));
  let isAway = true;
  const store: AnalyticsStore = {
    ...test.store,
    query: <Row extends object>(...args: Parameters<AnalyticsStore['query']>) =>
      isAway ? Promise.reject(failure) : test.store.query<Row>(...args),
  };
  const reader = createRuleHitsReader(store, { maxAgeMs: NEVER });
  await expect(reader.hitsOf('rd_g')).rejects.toBe(failure);
  isAway = false;
  expect((await reader.hitsOf('rd_g')).get(1)?.hits).toBe(6);
});
