import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SEED as seed } from '../../../shared/process/test-seed.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';
import { createDice } from './oracle/dice.fixture.js';
import { randomRequests } from './oracle/random-requests.fixture.js';
import { RECORDING_LIMIT_MS, randomTraffic, recordTraffic } from './oracle/random-traffic.fixture.js';
import type { Question } from './question.js';
import { variedHits } from './questions/question-rules.fixture.js';
import { QUESTIONS } from './questions/questions.js';

const REDIRECT = 'rd_several';
const nameOf = ({ path }: Question) => path.replace(/^stats\//, '');
const NAMES = QUESTIONS.map(nameOf);

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
  await app.record(variedHits(REDIRECT, 300));
});
afterAll(() => app.close());

interface Answer {
  readonly data: Readonly<Record<string, object>>;
  readonly meta: Readonly<Record<string, unknown>> & { readonly statistics: Record<string, object> };
}

const several = async (query: string) => (await app.get(`${REDIRECT}/stats?${query}`)).body as Answer;

/** Parameters that only some statistics support. */
const OWN_PARAMETERS = ['limit', 'interval', 'groupBy'];

/** Requests statistics together and one by one, and expects equal answers. */
async function expectSameAlone(redirectId: string, included: readonly Question[], query: string) {
  const names = included.map(nameOf);
  const together = await app.get(`${redirectId}/stats?include=${names.join(',')}&${query}`);
  expect(together.status, query).toBe(200);
  const { data, meta } = together.body as Answer;
  const { statistics, ...shared } = meta;
  expect(Object.keys(data)).toEqual(names);
  for (const question of included) {
    const name = nameOf(question);
    const known = [...new URLSearchParams(query)].filter(
      ([key]) => !OWN_PARAMETERS.includes(key) || key in question.query,
    );
    const alone = await app.get(`${redirectId}/${question.path}?${new URLSearchParams(known)}`);
    const body = { data: data[name], meta: { ...shared, ...statistics[name] } };
    expect(alone, `${name} of ${redirectId} ${query}`).toEqual({ status: 200, body });
  }
}

describe('several statistics at once', () => {
  it.each([
    'start=2026-01-30&limit=3&interval=hour&groupBy=city&includeBots=true',
    'start=2026-02-01&includeBots=false&timezone=Asia/Kolkata',
    'start=2026-01-30&country=DE&browser=Chrome',
    'start=2024-01-01&end=2024-01-31',
    'start=2024-01-01&end=2024-01-31&includeBots=true&timezone=America/New_York&device=mobile',
  ])('are the same as one by one: %s', (query) => expectSameAlone(REDIRECT, QUESTIONS, query));

  it('count the hits of a roll-up with one statement', async () => {
    const include = 'include=basic,time,bots,errors,status-codes,return-visitors,comparison';
    const selects = await app.selectsFor(`${REDIRECT}/stats?${include}&start=2026-01-30&end=2026-02-08`);
    const ofDays = selects.filter(({ sql }) => sql.includes("'by_day'"));
    // One of the period, one of the period before.
    expect(new Set(ofDays.map(({ params }) => params.start)).size).toBe(2);
    expect(ofDays).toHaveLength(2);
  });

  it.each([
    ['by_country', 'dashboard,geo'],
    ['by_client', 'dashboard,browser-families,device-categories'],
  ])('read the roll-up %s once for %s', async (rollUp, include) => {
    const query = `include=${include}&start=2026-01-30&end=2026-02-08`;
    const selects = await app.selectsFor(`${REDIRECT}/stats?${query}`);
    expect(selects.filter(({ sql }) => sql.includes(`'${rollUp}'`))).toHaveLength(1);
  });

  it('run statements that they share once', async () => {
    const query = 'start=2026-01-30&end=2026-02-08';
    const alone = await app.selectsFor(`${REDIRECT}/stats/comparison?${query}`);
    const together = await app.selectsFor(
      `${REDIRECT}/stats?include=basic,comparison, comparison&${query}`.replace(' ', '%20'),
    );
    expect(together).toHaveLength(alone.length);
  });

  it.each(['', 'basics', 'basic,', 'basic,hits', 'stats/basic', '__proto__', 'basic;devices'])(
    'are not called %j, and the error names those that there are',
    async (include) => {
      const { status, body } = await app.get(`${REDIRECT}/stats?include=${encodeURIComponent(include)}`);
      expect(status).toBe(400);
      const { error } = body as { error: { code: string; field: string; message: string } };
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', field: 'include' });
      if (include !== '') for (const name of NAMES) expect(error.message).toContain(name);
    },
  );

  it('have to be named', async () => {
    expect(await app.get(`${REDIRECT}/stats`)).toMatchObject({
      status: 400,
      body: { error: { field: 'include' } },
    });
  });

  it.each([
    ['other_1', 403],
    ['none', 404],
  ])('are not answered about a redirect of somebody else: %s', async (redirectId, status) => {
    expect(await app.get(`${redirectId}/stats?include=basic`)).toMatchObject({ status });
  });
});

describe(`several statistics of random traffic of seed ${seed}`, () => {
  beforeAll(() => recordTraffic(app, randomTraffic(seed, 4_000)), RECORDING_LIMIT_MS);

  const requests = randomRequests(
    seed,
    'stats',
    { interval: ['hour', 'day', 'week'], groupBy: ['country', 'city'], limit: [1, 5, 100] },
    4,
  );
  const queries = requests.flatMap(({ redirectId, url }) =>
    [undefined, 'true', 'false'].map((includeBots) => {
      const query = new URLSearchParams(url.split('?')[1]);
      query.delete('includeBots');
      if (includeBots !== undefined) query.set('includeBots', includeBots);
      return [redirectId, query.toString()] as const;
    }),
  );

  it.each(queries)('are the same as one by one: %s %s', async (redirectId, query) => {
    const dice = createDice(seed);
    await expectSameAlone(redirectId, QUESTIONS, query);
    const some = QUESTIONS.filter(() => dice.chance(0.3));
    if (some.length > 0) await expectSameAlone(redirectId, some, query);
  });
});

describe('bots', () => {
  const BY_DEFAULT = { excluded: 'excluded', included: 'included', totals: 'included', always: 'included' };

  it.each([
    ['', (bots: keyof typeof BY_DEFAULT) => BY_DEFAULT[bots]],
    ['&includeBots=true', () => 'included'],
    ['&includeBots=false', (bots: string) => (bots === 'always' ? 'included' : 'excluded')],
  ])('are in statistics as meta says, with the query %j', async (query, expected) => {
    const { meta } = await several(`include=${NAMES.join(',')}${query}`);
    const said = QUESTIONS.map(({ bots = 'excluded' }, index) => [NAMES[index], expected(bots)]);
    const found = Object.entries(meta.statistics).map(([name, own]) => [
      name,
      (own as { bots: string }).bots,
    ]);
    expect(found).toEqual(said);
  });

  it('count nowhere where the caller does not want them, so that statistics agree', async () => {
    const people = 300 - Math.ceil(300 / 7);
    const totals = await several(
      'include=basic,time,hourly,errors,peak-traffic,campaigns&start=2026-01-30&end=2026-02-08&includeBots=false',
    );
    expect(totals.data).toMatchObject({
      basic: { totalHits: people, humanHits: people, botHits: 0 },
      time: { summary: { totalHits: people } },
      hourly: { summary: { totalHits: people } },
      errors: { summary: { totalHits: people } },
      'peak-traffic': { summary: { totalHits: people } },
      campaigns: { summary: { totalHits: people } },
    });
  });
});

describe('a time zone', () => {
  it.each(['Europe/Berlim', '%2B02:00', ''])('that is none is refused: %s', async (timezone) => {
    for (const path of ['stats/time', 'stats/geo', 'hits']) {
      expect(await app.get(`${REDIRECT}/${path}?timezone=${timezone}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST', field: 'timezone' } },
      });
    }
  });

  it('groups days, and is named', async () => {
    const { data, meta } = (
      await app.get(
        `${REDIRECT}/stats/time?start=2026-02-01&end=2026-02-03&timezone=America/New_York&interval=day`,
      )
    ).body as { data: { timeSeries: { timestamp: string }[] }; meta: object };
    expect(data.timeSeries.map(({ timestamp }) => timestamp)).toEqual(
      [1, 2, 3].map((day) => `2026-02-0${day}T05:00:00.000Z`),
    );
    expect(meta).toMatchObject({
      period: { start: '2026-02-01T05:00:00.000Z', end: '2026-02-04T04:59:59.999Z' },
      timezone: 'America/New_York',
      series: { timeSeries: { unit: 'day', timezone: 'America/New_York' } },
    });
  });
});
