import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SEED as seed } from '../../../../shared/process/test-seed.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { iso } from '../period.js';
import { type Asked, asked } from './asked.fixture.js';
import { ENDPOINTS, HIT_CONDITIONS } from './endpoints.fixture.js';
import { isNear } from './estimates.fixture.js';
import { exported, page } from './expected-hits.fixture.js';
import { randomRequests } from './random-requests.fixture.js';
import {
  deliveryOf,
  type KnownHit,
  RECORDING_LIMIT_MS,
  REDIRECTS,
  randomTraffic,
  recordTraffic,
} from './random-traffic.fixture.js';

const HITS = 20_000;
const SAMPLING_RATE = 0.25;
const REQUESTS_PER_ENDPOINT = 6;

let app: AnalyticsApp;
let recorded: Map<string, KnownHit[]>;

beforeAll(async () => {
  app = await createAnalyticsApp(SAMPLING_RATE);
  const hits = await recordTraffic(app, randomTraffic(seed, HITS));
  recorded = new Map(REDIRECTS.map((id) => [id, hits.filter(({ redirect_id }) => redirect_id === id)]));
}, RECORDING_LIMIT_MS);
afterAll(() => app.close());

const hitsOf = (redirectId: string) => recorded.get(redirectId) ?? [];

/** `meta` of every answer. */
function commonMeta(redirectId: string, { period, timezone, recordedHits: hits }: Asked) {
  const estimate = hits.reduce((sum, { sampling_rate }) => sum + 1 / sampling_rate, 0);
  return {
    redirectId,
    period: { start: iso(period.startMs), end: iso(period.endMs) },
    sampling: {
      rate: SAMPLING_RATE,
      recordedHits: hits.length,
      estimatedTotalHits: Math.round(estimate),
    },
    delivery: deliveryOf(redirectId, hitsOf(redirectId).length),
    recording: { active: true, reason: null },
    timezone,
  };
}

/** Returns the expected `bots` of an answer, unless it always includes them. */
function botsOf(byDefault: 'included' | 'excluded' | 'always', includeBots: boolean | undefined) {
  if (byDefault === 'always') return 'included';
  return includeBots === undefined ? byDefault : includeBots ? 'included' : 'excluded';
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Checks sums: every percentage is near its exact value, and the percentages of a list must also be near their sum. */
function expectRightSums(actual: unknown, expected: unknown, url: string): void {
  for (const [name, rows] of Object.entries(expected as object)) {
    if (!Array.isArray(rows)) continue;
    const exact = rows.map((row) => row.percentage).filter(isNear);
    const found = (actual as Record<string, { percentage: number }[]>)[name] ?? [];
    if (exact.length === 0) continue;
    const error = sumOf(found.map(({ percentage }) => percentage)) - sumOf(exact.map((share) => share.exact));
    expect(Math.abs(error), `${name} of ${url}`).toBeLessThan(0.0501);
  }
}

describe(`random traffic of seed ${seed}`, () => {
  it.each(ENDPOINTS)(
    'is answered by $path $parameters as by counting',
    async ({ path, parameters, expected, bots }) => {
      for (const request of randomRequests(seed, path, parameters, REQUESTS_PER_ENDPOINT)) {
        const { redirectId, url } = request;
        const about = asked(hitsOf(redirectId), request);
        const { data, meta } = expected(about);
        const { status, body } = await app.get(url);
        expect(status, url).toBe(200);
        const own = { bots: botsOf(bots, request.includeBots), series: {}, ...meta };
        expect(body, url).toEqual({ data, meta: { ...commonMeta(redirectId, about), ...own } });
        expectRightSums((body as { data: unknown }).data, data, url);
      }
    },
  );

  it('is listed hit by hit, page by page', async () => {
    const paging = { page: [undefined, undefined, 2, 3, 1_000], limit: [undefined, 1, 7, 100] };
    const parameters = { ...HIT_CONDITIONS, ...paging };
    for (const request of randomRequests(seed, 'hits', parameters, REQUESTS_PER_ENDPOINT)) {
      const { redirectId, url } = request;
      const about = asked(hitsOf(redirectId), request);
      const isBot = about.query.isBot ?? (about.includeBots === false ? false : undefined);
      const own = { bots: isBot === false ? 'excluded' : 'included', series: {} };
      const body = { ...page(about), meta: { ...commonMeta(redirectId, about), ...own } };
      expect(await app.get(url), url).toEqual({ status: 200, body });
    }
  });

  it.each([
    ['ndjson', (text: string) => text.split('\n').slice(0, -1).map(idOfJson)],
    ['csv', (text: string) => text.split('\r\n').slice(1, -1).map(idOfCsv)],
  ] as const)('is exported as %s to the last hit', async (format, idsIn) => {
    const parameters = { ...HIT_CONDITIONS, format: [format] };
    for (const request of randomRequests(seed, 'hits/export', parameters, REQUESTS_PER_ENDPOINT)) {
      const hits = exported(asked(hitsOf(request.redirectId), request));
      expect(idsIn(await app.download(request.url)), request.url).toEqual(hits.map(({ id }) => id));
    }
  });
});

const idOfJson = (line: string) => (JSON.parse(line) as { id: string }).id;
const idOfCsv = (row: string) => row.slice(0, row.indexOf(','));
