import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SEED as seed } from '../../../shared/process/test-seed.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';
import { ENDPOINTS } from './oracle/endpoints.fixture.js';
import { randomRequests } from './oracle/random-requests.fixture.js';
import { RECORDING_LIMIT_MS, randomTraffic, recordTraffic } from './oracle/random-traffic.fixture.js';
import { variedHits } from './questions/question-rules.fixture.js';
import { QUESTIONS } from './questions/questions.js';
import { makeRollUps, readsSingleHits } from './roll-ups.fixture.js';

const REQUESTS_PER_ENDPOINT = 3;
/** Questions that no roll-up answers completely. */
const READING_HITS: ReadonlySet<string> = new Set(['stats/return-visitors']);

let app: AnalyticsApp;

describe(`random traffic of seed ${seed}`, () => {
  beforeAll(async () => {
    app = await createAnalyticsApp();
    await recordTraffic(app, randomTraffic(seed, 8_000));
  }, RECORDING_LIMIT_MS);
  afterAll(() => app.close());

  it.each(ENDPOINTS)(
    'is the same to $path $parameters from roll-ups as hit by hit',
    async ({ path, parameters }) => {
      for (const { url } of randomRequests(seed, path, parameters, REQUESTS_PER_ENDPOINT)) {
        const fromHits = await app.get(url, 'hits');
        expect(fromHits.status, url).toBe(200);
        expect(await app.get(url), url).toEqual(fromHits);
      }
    },
  );

  it('is put to every question', () => {
    const asked = new Set(ENDPOINTS.map(({ path }) => path));
    expect([...asked].sort()).toEqual(QUESTIONS.map(({ path }) => path).sort());
  });
});

describe('of whole days with roll-ups', () => {
  const redirectId = 'rd_whole';

  beforeAll(async () => {
    app = await createAnalyticsApp();
    await app.record(variedHits(redirectId, 500));
    await makeRollUps(app.test);
  });
  afterAll(() => app.close());

  const period = 'start=2026-01-31&end=2026-02-05';
  const questions: readonly (readonly [path: string, statementsOnHits: number])[] = [
    ...QUESTIONS.map(({ path }) => [path, READING_HITS.has(path) ? 1 : 0] as const),
    ['stats/geo?groupBy=city', 0],
    ['stats/time?interval=hour', 0],
    ['stats/time?interval=week', 0],
    ...['paths', 'referrers', 'destination-urls', 'user-agents', 'campaigns'].map(
      (list) => [`stats/${list}?limit=1`, 0] as const,
    ),
    ['hits', 2],
    ['hits?country=DE', 2],
    ['hits?statusCode=301&isBot=false', 2],
    ['hits?ruleId=2&isBot=true', 2],
  ];
  const readsOf = async (path: string, source?: 'hits') => {
    const separator = path.includes('?') ? '&' : '?';
    const selects = await app.selectsFor(`${redirectId}/${path}${separator}${period}`, source);
    return Promise.all(selects.map((select) => readsSingleHits(app.test, select)));
  };

  // One statement looks at single hits for the visitors who came again. A page has two: its times, its hits.
  it.each(questions)('%s is answered with %i statements that look at hits', async (path, statements) => {
    const reads = await readsOf(path);
    expect(reads.filter(Boolean)).toHaveLength(statements);
    expect(reads.length).toBeGreaterThan(statements);
  });

  // Delivery reads data of producers only, for any period.
  it.each(questions)('%s can be answered hit by hit', async (path) => {
    const reads = await readsOf(path, 'hits');
    expect(reads.filter((isOfHits) => !isOfHits)).toHaveLength(1);
  });
});
