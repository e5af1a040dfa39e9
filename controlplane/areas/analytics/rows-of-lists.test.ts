import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';
import { variedHits } from './questions/question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
  await app.record(variedHits('rd_lists', 300));
});
afterAll(() => app.close());

const PERIOD = 'start=2026-01-30&end=2026-02-08';

async function statementsOf(path: string, rollUp: string): Promise<number> {
  const selects = await app.selectsFor(`rd_lists/stats/${path}`);
  return selects.filter(({ sql }) => sql.includes(`'${rollUp}'`)).length;
}

it.each([
  ['paths', 'by_path_and_match', 8],
  ['user-agents', 'by_user_agent', 6],
  ['referrers', 'by_referrer', 5],
  ['geo?groupBy=city', 'by_place', 5],
])('a list that had all rows takes one statement afterwards: %s', async (path, rollUp, rows) => {
  const asked = (limit: number) => `${path}${path.includes('?') ? '&' : `?limit=${limit}&`}${PERIOD}`;
  const first = await app.get(`rd_lists/stats/${asked(rows)}`);
  expect(first.status).toBe(200);
  expect(await statementsOf(asked(rows), rollUp)).toBe(1);
  expect(await app.get(`rd_lists/stats/${asked(rows)}`)).toEqual(first);
  expect(await app.get(`rd_lists/stats/${asked(rows)}`, 'hits')).toEqual(first);
  if (!path.includes('?')) expect(await statementsOf(asked(rows - 1), rollUp)).toBe(2);
});

it('what is known of one period or filter does not decide for another', async () => {
  await app.get(`rd_lists/stats/campaigns?${PERIOD}`);
  expect(await statementsOf(`campaigns?${PERIOD}`, 'by_campaign')).toBe(1);
  expect(await statementsOf('campaigns?start=2026-01-30&end=2026-02-07', 'by_campaign')).toBe(2);
  for (let time = 0; time < 2; time += 1) {
    expect(await statementsOf(`campaigns?${PERIOD}&source=mailing`, 'by_campaign')).toBe(2);
  }
});

it('a list that one statement could not read takes two the next time', async () => {
  const destinations = `destination-urls?${PERIOD}`;
  await app.get(`rd_lists/stats/${destinations}`);
  expect(await statementsOf(destinations, 'by_destination')).toBe(1);
  const query = vi.spyOn(app.test.store, 'query');
  query.mockRejectedValue(new AnalyticsStoreError('failed', new Error('memory limit exceeded')));
  expect((await app.get(`rd_lists/stats/${destinations}`)).status).toBe(500);
  query.mockRestore();
  expect(await statementsOf(destinations, 'by_destination')).toBe(2);
  expect(await statementsOf(destinations, 'by_destination')).toBe(1);
});

it('paths without an entry are few among many, so their visitors are computed alone', async () => {
  for (let time = 0; time < 2; time += 1) {
    expect(await statementsOf(`unmatched-paths?${PERIOD}`, 'by_path_and_match')).toBe(2);
  }
});

it('a list that has grown beyond its limit is still right', async () => {
  const hitsOf = (first: number, paths: number) =>
    Array.from({ length: paths * 10 }, (_, n) => ({
      redirect_id: 'rd_growing',
      path: `/${first + (n % paths)}`,
      timestamp: '2026-02-01 00:00:00.000',
    }));
  const url = `rd_growing/stats/paths?limit=3&${PERIOD}`;
  await app.record(hitsOf(0, 3));
  await app.get(url);
  await app.record(hitsOf(3, 4));
  const grown = await app.get(url);
  expect(grown).toMatchObject({ status: 200, body: { data: { summary: { totalPaths: 7 } } } });
  expect(await app.get(url)).toEqual(grown);
  expect(await app.get(url, 'hits')).toEqual(grown);
});
