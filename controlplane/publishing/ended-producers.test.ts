import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../storage/clickhouse/analytics-store.fixture.js';
import { createEndedProducers } from './ended-producers.js';

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

it('the totals of producers that are silent for 400 days and have no hits are deleted', async () => {
  await test.store.command(
    `INSERT INTO redirect_counters (redirect_id, producer_id, recorded, seen_at, ordinals) VALUES
       ('rd_1', 'gone', 1, now() - toIntervalDay(401), [1]),
       ('rd_2', 'gone', 1, now() - toIntervalDay(900), [2]),
       ('rd_1', 'heard-of', 1, now() - toIntervalDay(401), [1]),
       ('rd_2', 'heard-of', 1, now() - toIntervalDay(399), [2]),
       ('rd_1', 'has-hits', 1, now() - toIntervalDay(401), [1]),
       ('rd_1', 'of-unknown-age', 1, toDateTime(0, 'UTC'), [1])`,
  );
  await test.store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp)
     VALUES ('has-hits', 1, 'rd_1', now64(3) - toIntervalDay(401))`,
  );
  const endedProducers = createEndedProducers({ store: test.store, logger: silentLogger });
  await endedProducers.runRound();
  const left = () =>
    test.store.query(
      'SELECT producer_id AS id, count() AS rows FROM redirect_counters GROUP BY id ORDER BY id',
    );
  // The store deletes in the background.
  await expect.poll(left).toEqual([
    { id: 'has-hits', rows: 1 },
    { id: 'heard-of', rows: 2 },
    { id: 'of-unknown-age', rows: 1 },
  ]);
  await endedProducers.runRound();
});

it('no more of them are forgotten at once than a server takes as one parameter', async () => {
  const command = vi.fn<typeof test.store.command>(async () => {});
  await test.store.command(
    `INSERT INTO redirect_counters (redirect_id, producer_id, recorded, seen_at, ordinals)
     SELECT 'rd_1', leftPad(toString(number), 36, '0'), 1, now() - toIntervalDay(401), [1] FROM numbers(4000)`,
  );
  await createEndedProducers({ store: { ...test.store, command }, logger: silentLogger }).runRound();
  const [[, params] = []] = command.mock.calls;
  expect(encodeURIComponent(JSON.stringify(params?.producers)).length).toBeLessThan(128 * 1024);
});
