import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestStore, type TestStore } from '../../storage/clickhouse/analytics-store.fixture.js';
import type { NeededFacts } from './needed-columns.js';
import { createVisitReader } from './visit-reader.js';

const HITS = 12_000;
const PERIOD = { fromMs: Date.UTC(2026, 1, 1), toMs: Date.UTC(2026, 1, 2) };
const FACTS: NeededFacts = { columns: [], needsClock: false, drawBounds: [], turningPoints: [] };
const MIB = 1024 * 1024;

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
  const long = (letter: string, length: number) => `concat(toString(number), repeat('${letter}', ${length}))`;
  await test.store.command(
    `INSERT INTO hits (redirect_id, timestamp, producer_id, ordinal, sampling_rate, path, query, referrer, user_agent, destination_url)
     SELECT 'long', toDateTime64('2026-02-01 10:00:00', 3, 'UTC') + number / 100, 'one', number, 1,
       ${long('a', 2_000)}, ${long('b', 2_000)}, ${long('c', 2_000)}, ${long('d', 2_000)}, ${long('e', 4_000)}
     FROM numbers(${HITS}) SETTINGS max_block_size = 2000`,
  );
});
afterAll(() => test.remove());

it.each<[string, Partial<NeededFacts>]>([
  ['rules read long texts', { columns: ['path', 'query', 'referrer', 'user_agent'] }],
  ['only the recorded destinations are long', {}],
])('slices of long visits are short, so that their memory is bounded: %s', async (_name, facts) => {
  const reader = createVisitReader(test.store, 'long', {});
  const needed = { ...FACTS, ...facts };
  const slices = await reader.slices(PERIOD, needed);
  let bytes = 0;
  for (const slice of slices) {
    const { length } = await reader.groups(slice, needed, { share: 1, isGrouped: true });
    expect(length).toBeLessThan(60 * MIB);
    bytes += length;
  }
  const [{ visits }, lengths] = [
    await reader.totals(PERIOD),
    slices.map(({ fromMs, toMs }) => toMs - fromMs),
  ];
  expect(visits).toBe(HITS);
  expect(lengths.every((ms) => ms > 0)).toBe(true);
  // No visit is left out: each has at least its path and its destination.
  expect(bytes).toBeGreaterThan(HITS * 4_000);
});
