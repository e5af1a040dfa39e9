import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface ReferrerAnswer {
  data: { referrers: { url: string; hits: number; percentage: number }[]; summary: object };
  meta: object;
}

describeQuestionRules({
  app: () => app,
  path: 'stats/referrers',
  query: 'limit=1000',
  noHits: {
    referrers: [],
    summary: { totalReferrers: 0, directTraffic: 0, searchTraffic: 0, socialTraffic: 0, topReferrer: null },
  },
  hitsIn: ({ referrers }: ReferrerAnswer['data']) => referrers.reduce((sum, { hits }) => sum + hits, 0),
});

const from = (
  domain: string,
  path: string,
  referrer_type: HitOptions['referrer_type'] = 'website',
): HitOptions => ({
  referrer: `https://www.${domain}/${path}`,
  referrer_domain: domain,
  referrer_type,
});

describe('referrers', () => {
  const ask = async (redirectId: string, query = '') =>
    (await app.get(`${redirectId}/stats/referrers?start=2026-01-01&${query}`)).body as ReferrerAnswer;

  const APP = { referrer: 'android-app://com.reddit.frontpage/', referrer_type: 'social' };

  // Planning a condition with OR takes 10 ms more.
  it.each([
    ['direct traffic alone', [{}, {}, from('a.example', '')], false],
    ['an address and direct traffic', [from('a.example', ''), {}], false],
    ['a word', [{ referrer: 'about:blank', referrer_type: 'unknown' }, {}] as HitOptions[], true],
    ['words alone', [APP, { referrer: 'about:blank', referrer_type: 'unknown' }] as HitOptions[], true],
  ])('among others are looked up by their texts: %s', async (name, hits: HitOptions[], hasOr) => {
    const redirect_id = `rd_${name.replaceAll(' ', '_')}`;
    await app.record([...hits, ...hits, from('rare.example', '')].map((hit) => ({ ...hit, redirect_id })));
    const url = `${redirect_id}/stats/referrers?start=2026-01-01&limit=2`;
    const told = (await app.selectsFor(url)).filter(({ params }) => 'listed0' in params);
    expect(told.map(({ sql }) => / OR /.test(sql.slice(sql.indexOf('WHERE'))))).toEqual([hasOr]);
    const answer = await app.get(url);
    expect(answer).toMatchObject({
      body: { data: { referrers: [{ uniqueVisitors: 1 }, { uniqueVisitors: 1 }] } },
    });
    expect(await app.get(url, 'hits')).toEqual(answer);
  });

  it('are addresses, and words for what is none', async () => {
    const redirect_id = 'rd_referrers';
    const hits: HitOptions[] = [
      {},
      {},
      {},
      { visitor_id: visitor(2) },
      from('google.com', '', 'search'),
      { referrer: 'android-app://com.google.android.googlequicksearchbox/', referrer_type: 'search' },
      { referrer: 'android-app://com.reddit.frontpage/', referrer_type: 'social' },
      { referrer: 'about:blank', referrer_type: 'unknown' },
      { referrer: '', referrer_type: 'email' },
      from('google.com', '', 'paid'),
    ];
    await app.record(hits.map((hit) => ({ ...hit, redirect_id })));
    const row = (url: string, domain: string, type: string, count = 1, uniqueVisitors = 1) => ({
      url,
      domain,
      type,
      hits: count,
      uniqueVisitors,
      percentage: count * 10,
    });
    expect((await ask(redirect_id)).data).toEqual({
      referrers: [
        row('direct', '', 'direct', 5, 2),
        // Former versions took tags for the type.
        row('https://www.google.com/', 'google.com', 'search', 2),
        row('search', '', 'search'),
        row('social', '', 'social'),
        row('unknown', '', 'unknown'),
      ],
      summary: {
        totalReferrers: 5,
        directTraffic: 50,
        searchTraffic: 20,
        socialTraffic: 10,
        topReferrer: { domain: 'google.com', hits: 2 },
      },
    });
  });

  it('name the domain that referred most from all its pages, of equals the first', async () => {
    const redirect_id = 'rd_domains';
    const hits = [
      from('b.example', '1'),
      from('b.example', '2'),
      from('a.example', '1'),
      from('a.example', '2'),
    ];
    await app.record([{}, {}, {}, ...hits, from('c.example', '')].map((hit) => ({ ...hit, redirect_id })));
    const { summary, referrers } = (await ask(redirect_id)).data;
    expect(summary).toMatchObject({ topReferrer: { domain: 'a.example', hits: 2 } });
    expect(referrers.map(({ url }) => url)).toEqual([
      'direct',
      'https://www.a.example/1',
      'https://www.a.example/2',
      'https://www.b.example/1',
      'https://www.b.example/2',
      'https://www.c.example/',
    ]);
  });

  it('are as many as the limit says, and the summary is of all', async () => {
    const redirect_id = 'rd_limited';
    const pages = Array.from({ length: 120 }, (_, n) => from('blog.example', String(n)));
    await app.record([...pages, from('blog.example', '7'), {}].map((hit) => ({ ...hit, redirect_id })));
    const some = await ask(redirect_id, 'limit=1');
    expect(some).toMatchObject({
      data: {
        referrers: [{ url: 'https://www.blog.example/7', hits: 2, percentage: 1.64 }],
        summary: {
          totalReferrers: 121,
          directTraffic: 0.82,
          topReferrer: { domain: 'blog.example', hits: 121 },
        },
      },
      meta: { limit: 1 },
    });
    const usual = await ask(redirect_id);
    expect(usual.data.referrers).toHaveLength(100);
    expect(usual.meta).toMatchObject({ limit: 100 });
    const all = (await ask(redirect_id, 'limit=1000')).data.referrers;
    const sum = all.reduce((total, { percentage }) => total + percentage, 0);
    expect(all).toHaveLength(121);
    expect(Math.abs(sum - 100)).toBeLessThanOrEqual(0.05);
  });

  it.each(['0', '1001', '-1', '1.5', 'all', ''])('have no limit of %s', async (limit) => {
    expect(await app.get(`rd_1/stats/referrers?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', field: 'limit' } },
    });
  });
});
