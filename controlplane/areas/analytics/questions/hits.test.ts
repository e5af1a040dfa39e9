import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { shownToOwner } from '../analytics-app.fixture.js';
import type { Hit } from './hit-record.js';
import { createHitsApp, type HitsApp } from './hits-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: HitsApp;

beforeAll(async () => {
  app = await createHitsApp();
});
afterAll(() => app.close());

interface HitsAnswer {
  data: Hit[];
  pagination: object;
}

describeQuestionRules({
  app: () => app,
  path: 'hits',
  query: 'limit=100',
  noHits: [],
  hitsIn: (hits: Hit[]) => hits.length,
  countsBots: true,
});

const FULL: HitOptions = {
  redirect_id: 'rd_full',
  timestamp: '2026-02-03 04:05:06.789',
  query: 'utm_source=mail&a=%20',
  status_code: 302,
  is_bot: 1,
  bot_reason: 'user-agent',
  rule_id: 7,
  variant: 'blue',
  country: 'DE',
  region: 'Bavaria',
  city: 'Munich',
  device_type: 'mobile',
  device_brand: 'Apple',
  device_model: 'iPhone',
  browser_name: 'Mobile Safari',
  browser_version: '17.2',
  os_name: 'iOS',
  os_version: '17.1',
  language: 'de-DE',
  referrer: 'https://www.google.com/',
  referrer_domain: 'google.com',
  referrer_type: 'search',
  utm_source: 'mail',
  utm_medium: 'email',
  utm_campaign: 'spring',
  utm_term: 'shoes',
  utm_content: 'top',
};

describe('hits', () => {
  const ask = async (redirectId: string, query = '') => {
    const { status, body } = await app.get(`${redirectId}/hits?start=2026-01-01&${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as HitsAnswer;
  };

  it('say all that is known of them, and null for what is not', async () => {
    await app.record([FULL, { redirect_id: 'rd_full', user_agent: '', language: '' }]);
    const { data, pagination } = await ask('rd_full');
    const [full, bare] = data;
    expect(full).toEqual({
      id: expect.stringMatching(/^run1-\d+$/),
      timestamp: '2026-02-03T04:05:06.789Z',
      host: 'old.example',
      path: '/path',
      query: 'utm_source=mail&a=%20',
      destinationUrl: 'https://new.example/path',
      statusCode: 302,
      ruleId: 7,
      entryId: null,
      variant: 'blue',
      country: 'DE',
      region: 'Bavaria',
      city: 'Munich',
      deviceType: 'mobile',
      deviceBrand: 'Apple',
      deviceModel: 'iPhone',
      browser: 'Mobile Safari',
      browserVersion: '17.2',
      os: 'iOS',
      osVersion: '17.1',
      language: 'de-DE',
      referrer: 'https://www.google.com/',
      referrerDomain: 'google.com',
      referrerType: 'search',
      isBot: true,
      botReason: 'user-agent',
      ipAddress: '203.0.113.0',
      userAgent: 'Mozilla/5.0',
      visitorId: shownToOwner('2026-02-03 04:05:06.789', visitor(1)),
      utm: { source: 'mail', medium: 'email', campaign: 'spring', term: 'shoes', content: 'top' },
      rulesetVersion: '1.1',
    });
    expect(bare).toMatchObject({
      statusCode: 301,
      ruleId: null,
      entryId: null,
      variant: null,
      country: null,
      browser: null,
      userAgent: null,
      language: null,
      referrer: null,
      referrerType: 'direct',
      isBot: false,
      botReason: null,
      utm: { source: null, medium: null, campaign: null, term: null, content: null },
    });
    expect(pagination).toEqual({ page: 1, limit: 20, total: 2, totalPages: 1 });
  });

  it('come newest first, of the same millisecond too, and each on one page', async () => {
    const redirect_id = 'rd_pages';
    const at = (n: number) => `2026-02-0${1 + (n % 3)} 12:00:00.00${n % 2}`;
    await app.record(Array.from({ length: 250 }, (_, n) => ({ redirect_id, timestamp: at(n) })));
    const pages = await Promise.all([1, 2, 3].map((page) => ask(redirect_id, `limit=100&page=${page}`)));
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 50]);
    expect(pages[2]?.pagination).toEqual({ page: 3, limit: 100, total: 250, totalPages: 3 });
    const hits = pages.flatMap(({ data }) => data);
    const ordinalOf = ({ id }: Hit) => Number(id.slice(id.lastIndexOf('-') + 1));
    const newestFirst = (one: Hit, other: Hit) =>
      Date.parse(other.timestamp) - Date.parse(one.timestamp) || ordinalOf(other) - ordinalOf(one);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(250);
    expect(hits).toEqual(hits.toSorted(newestFirst));
    const beyond = await ask(redirect_id, 'limit=100&page=4');
    expect(beyond).toMatchObject({ data: [], pagination: { page: 4, total: 250, totalPages: 3 } });
    expect((await ask('rd_none')).pagination).toEqual({ page: 1, limit: 20, total: 0, totalPages: 0 });
  });

  it('are filtered by country, bot, status and rule, alone and together', async () => {
    const redirect_id = 'rd_filtered';
    const hits = Array.from({ length: 72 }, (_, n) => ({
      redirect_id,
      country: ['DE', 'AT', ''][n % 3]!,
      is_bot: (n % 2) as 0 | 1,
      status_code: n % 4 < 2 ? 301 : 508,
      rule_id: n % 5,
      path: `/${n}`,
    }));
    await app.record(hits);
    const filters = [
      ['country=DE', ({ country }) => country === 'DE'],
      ['isBot=true', ({ isBot }) => isBot],
      ['isBot=false&country=AT', ({ isBot, country }) => !isBot && country === 'AT'],
      ['statusCode=508', ({ statusCode }) => statusCode === 508],
      ['ruleId=3&isBot=true', ({ ruleId, isBot }) => ruleId === 3 && isBot],
      ['ruleId=3&country=DE', ({ ruleId, country }) => ruleId === 3 && country === 'DE'],
      ['country=XX', () => false],
      [
        'country=DE&isBot=false&statusCode=301&ruleId=1',
        ({ country, isBot, statusCode, ruleId }) =>
          country === 'DE' && !isBot && statusCode === 301 && ruleId === 1,
      ],
    ] as const satisfies readonly (readonly [string, (hit: Hit) => boolean])[];
    const all = (await ask(redirect_id, 'limit=100')).data;
    expect(all).toHaveLength(72);
    for (const [query, isWanted] of filters) {
      const wanted = all.filter(isWanted);
      const totalPages = wanted.length === 0 ? 0 : 1;
      expect(await ask(redirect_id, `limit=100&${query}`), query).toMatchObject({
        data: wanted,
        pagination: { page: 1, limit: 100, total: wanted.length, totalPages },
      });
    }
  });

  it('are none on pages beyond the last one, and not told beyond the first hundred thousand', async () => {
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, status_code, method, sampling_rate, referrer_type)
       SELECT 'many', number, 'rd_many', toDateTime64('2026-02-03 04:05:06', 3, 'UTC') + number, 301, 'GET', 1, 'direct'
       FROM numbers(100050)`,
    );
    await app.record([{ redirect_id: 'rd_few' }]);
    for (const page of [5_001, Number.MAX_SAFE_INTEGER, 2]) {
      expect((await ask('rd_few', `page=${page}`)).data).toEqual([]);
    }
    expect((await ask('rd_many', 'page=5000')).data).toHaveLength(20);
    expect(await app.get('rd_many/hits?start=2026-01-01&page=5001')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', field: 'page' } },
    });
  });

  it.each([
    ['page', ['0', '-1', '1.5', 'one', '']],
    ['limit', ['0', '101', 'all', '']],
    ['country', ['de', 'DEU', '']],
    ['isBot', ['maybe', '']],
    ['statusCode', ['99', '600', 'ok']],
    ['ruleId', ['0', 'one', '1e300']],
  ])('are not answered about with a wrong %s', async (field, values) => {
    for (const value of values) {
      expect(await app.get(`rd_1/hits?${field}=${value}`), value).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST', field } },
      });
    }
  });
});
