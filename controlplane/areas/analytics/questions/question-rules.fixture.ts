import { describe, expect, it } from 'vitest';
import { hitIdOf } from '../../../../shared/paths/entry-ids.js';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import type { AnalyticsApp } from '../analytics-app.fixture.js';

/** A question with facts for the tests of every question. */
export interface QuestionRules {
  readonly app: () => AnalyticsApp;
  /** Path below the redirect, as `stats/basic`. */
  readonly path: string;
  /** Further parameters. */
  readonly query?: string;
  /** `data` without hits. */
  readonly noHits: unknown;
  /** Returns the number of hits that `data` covers. */
  readonly hitsIn: (data: never) => number;
  /** Members of the hits that the list covers. */
  readonly hit?: HitOptions;
  /** Whether they always include bots. */
  readonly countsBots?: boolean;
}

interface Envelope {
  readonly data: never;
  readonly meta: { readonly sampling: { readonly recordedHits: number } };
}

/** Members of a hit that every list covers. */
const COVERED: HitOptions = {
  country: 'DE',
  region: 'Bavaria',
  city: 'Munich',
  device_type: 'mobile',
  language: 'de',
  utm_source: 'mailing',
  query_names: 'a',
};

/** Tests the properties of every question. */
export function describeQuestionRules(rules: QuestionRules): void {
  const { app, path, query = '', noHits, hitsIn, countsBots = false } = rules;
  const covered = { ...COVERED, ...rules.hit };
  const id = (name: string) => `rd_${name}_${path.replaceAll('/', '_')}_${query}`;
  const ask = async (redirectId: string, period: string) => {
    const url = `${encodeURIComponent(redirectId)}/${path}?${query}&${period}`;
    const { status, body } = await app().get(url);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as Envelope;
  };

  describe(`${path}?${query}`, () => {
    it('has an answer without hits', async () => {
      const answer = await ask(id('empty'), '');
      expect(answer).toMatchObject({ data: noHits, meta: { sampling: { recordedHits: 0 } } });
    });

    it('counts the first and the last millisecond of the period and none beside it', async () => {
      const redirect_id = id('edges');
      const at = ['04 23:59:59.999', '05 00:00:00.000', '05 23:59:59.999', '06 00:00:00.000'];
      await app().record(at.map((time) => ({ ...covered, redirect_id, timestamp: `2026-01-${time}` })));
      const hits = async (period: string) => hitsIn((await ask(redirect_id, period)).data);
      expect(await hits('start=2026-01-05&end=2026-01-05')).toBe(2);
      expect(await hits('start=2026-01-05T00:00:00.001Z&end=2026-01-05T23:59:59.998Z')).toBe(0);
      expect(await hits('start=2026-01-05T23:59:59.999Z&end=2026-01-05T23:59:59.999Z')).toBe(1);
      expect(await hits('start=2026-01-04T23:59:59.999Z&end=2026-01-06T00:00:00.000Z')).toBe(4);
    });

    it('leaves bots out where it should, and tells what was recorded in any case', async () => {
      const redirect_id = id('bots');
      const hit = { ...covered, redirect_id, sampling_rate: 0.25 };
      await app().record([hit, hit, { ...hit, is_bot: 1, bot_reason: 'head' }]);
      const without = await ask(redirect_id, 'start=2026-01-01');
      const withBots = await ask(redirect_id, 'start=2026-01-01&includeBots=true');
      expect(hitsIn(without.data)).toBe(countsBots ? 3 : 2);
      expect(hitsIn(withBots.data)).toBe(3);
      const sampling = { recordedHits: 3, estimatedTotalHits: 12 };
      expect(without.meta).toMatchObject({ sampling });
      expect(withBots.meta).toMatchObject({ sampling });
    });

    it.each([
      ['somebody else', 'other_1', 403, 'FORBIDDEN'],
      ['nobody', 'none', 404, 'NOT_FOUND'],
    ])('is not answered about a redirect of %s', async (_, redirectId, status, code) => {
      const answer = await app().get(`${redirectId}/${path}?${query}`);
      expect(answer).toMatchObject({ status, body: { error: { code } } });
    });
  });
}

const pick = (values: readonly string[], n: number) => values[n % values.length] ?? '';

/** Hits of ten days in two months that differ in every column, minute by minute. Some are of bots. */
export function variedHits(redirect_id: string, count: number): HitOptions[] {
  return Array.from({ length: count }, (_, n) => ({
    redirect_id,
    timestamp: new Date(Date.UTC(2026, 0, 30) + (n * 864_000_000) / count + n)
      .toISOString()
      .replace(/[TZ]/g, ' ')
      .trim(),
    visitor_id: visitor(1 + (n % 37)),
    sampling_rate: n % 2 === 0 ? 1 : 0.5,
    is_bot: n % 7 === 0 ? 1 : 0,
    bot_reason: n % 7 === 0 ? pick(['head', 'user-agent'], n) : '',
    status_code: n % 11 === 0 ? 508 : 301,
    country: pick(['AT', 'DE', 'US', ''], n),
    region: pick(['Vienna', 'Bavaria', ''], n),
    city: pick(['', 'Springfield', 'Munich', 'Vienna', 'Springfield'], n),
    device_type: pick(['mobile', 'desktop', 'tablet', ''], n),
    browser_name: pick(['Chrome', 'Safari', 'Firefox', ''], n >> 1),
    browser_version: `${n % 5}.0`,
    os_name: pick(['iOS', 'Windows', ''], n),
    os_version: `${n % 3}`,
    user_agent: `Agent/${n % 6}`,
    language: pick(['de', 'en', ''], n),
    ...referrerOf(n),
    utm_source: n % 4 === 0 ? 'mailing' : '',
    utm_medium: n % 4 === 0 ? 'email' : '',
    utm_campaign: n % 4 === 0 ? `campaign ${n % 3}` : '',
    query_names: pick(['a&b', 'a', ''], n),
    path: `/${n % 8}`,
    destination_url: `https://new.example/${n % 8}`,
    rule_id: n % 9 === 0 ? hitIdOf(7) : n % 3,
    variant: n % 3 === 1 ? pick(['blue', 'green'], n) : '',
  }));
}

const REFERRERS = [
  { referrer: '', referrer_domain: '', referrer_type: 'direct' },
  { referrer: 'https://www.google.com/', referrer_domain: 'google.com', referrer_type: 'search' },
  { referrer: 'https://blog.example/a', referrer_domain: 'blog.example', referrer_type: 'website' },
  { referrer: 'https://blog.example/b', referrer_domain: 'blog.example', referrer_type: 'website' },
  { referrer: 'android-app://com.reddit.frontpage/', referrer_domain: '', referrer_type: 'social' },
  { referrer: '', referrer_domain: '', referrer_type: 'email' },
] as const satisfies readonly HitOptions[];

const referrerOf = (n: number): HitOptions => REFERRERS[n % REFERRERS.length] ?? {};
