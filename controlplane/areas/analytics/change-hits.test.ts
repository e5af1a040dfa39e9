import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestProducer } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import { eraseHits } from './change-hits.js';

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

it('deletes hits and counters of the redirects, and nothing else', async () => {
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  const of = (redirect_id: string) => ({ redirect_id, rule_id: 2 ** 52 + 1, variant: 'a' });
  await writer.write(createTestProducer('run').batch([of('rd_erased'), of('rd_erased'), of('rd_kept')]));
  expect(await countsOf('rd_erased')).toEqual([2, 1, 1]);
  await eraseHits(test.store, ['rd_erased', 'rd_none']);
  await vi.waitFor(async () => expect(await countsOf('rd_erased')).toEqual([0, 0, 0]), {
    timeout: 60_000,
    interval: 50,
  });
  expect(await countsOf('rd_kept')).toEqual([1, 1, 1]);
  await eraseHits(test.store, ['rd_erased']);
});

/** Rows of hits, and of the counters of redirects and rules. */
async function countsOf(redirect: string): Promise<number[]> {
  const counts: number[] = [];
  for (const table of ['hits', 'redirect_counters', 'rule_counters']) {
    const [row] = await test.store.query<{ rows: number }>(
      `SELECT toUInt32(count()) AS rows FROM ${table} WHERE redirect_id = {redirect:String}`,
      { redirect },
    );
    counts.push(row?.rows ?? 0);
  }
  return counts;
}
