import { expect, test, vi } from 'vitest';
import { type Product, startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, RULES_ENVIRONMENT, redirectTo, rulesOf } from './rules.fixture.js';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const COMPUTER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
/** The country database knows where these networks are registered. */
const IN_GERMANY = '5.9.0.1';
const IN_THE_US = '8.8.8.8';

interface TestAnswer {
  readonly result: null | { readonly url: string; readonly ruleName: string; readonly variant?: string };
}
interface AnalyticsAnswer {
  readonly analytics: readonly {
    readonly name: string;
    readonly hitCount: number;
    readonly percentage: number;
    readonly humanHits: number;
    readonly variants?: readonly { readonly name: string; readonly hits: number }[];
  }[];
  readonly totalHits: number;
  readonly activeRules: number;
}

/** Two starts of the product are expensive. Tests that need no separate product share this one. */
test('rules decide for visitors what the test endpoint says, and count every match', () =>
  withDataDir(async (dataDir) => {
    const host = 'rules.localhost';
    let product = await startForTest({ dataDir, environment: RULES_ENVIRONMENT });
    const { token } = product;
    // Nothing is recorded: rules count all the same.
    const id = await createRedirect(product, host, { samplingRate: 0, pathForwarding: true });

    await createRule(product, id, {
      name: 'German phones',
      conditions: [
        { attribute: 'country', operator: 'equals', value: 'DE' },
        { attribute: 'device_type', operator: 'in', value: ['mobile', 'tablet'] },
      ],
      action: redirectTo('https://m.example/de'),
    });
    await createRule(product, id, {
      name: 'spring sale',
      conditions: [{ attribute: 'query_param', param: 'utm_campaign', operator: 'equals', value: 'spring' }],
      action: { ...redirectTo('https://sale.example/'), pathForwarding: false },
    });
    await createRule(product, id, {
      name: 'a draft never decides',
      status: 'draft',
      action: redirectTo('https://draft.example/'),
    });
    await createRule(product, id, {
      name: 'landing pages',
      type: 'ab_experiment',
      conditions: [{ attribute: 'url_path', operator: 'starts_with', value: '/landing' }],
      action: {
        type: 'ab_test',
        variants: [
          { name: 'red', percentage: 50, url: 'https://red.example' },
          { name: 'blue', percentage: 50, url: 'https://blue.example' },
        ],
      },
    });

    const visit = (target: string, headers: Record<string, string>) =>
      product.visit(host, target, { headers });
    const german = { 'x-forwarded-for': IN_GERMANY, 'user-agent': PHONE };
    await vi.waitFor(async () =>
      expect((await visit('/a?utm_campaign=spring', german)).headers.location).toBe('https://m.example/de/a'),
    );
    const matched = { german: 1, spring: 0 };

    const cases = [
      { headers: german, target: '/x', location: 'https://m.example/de/x', rule: 'German phones' },
      {
        headers: { 'x-forwarded-for': IN_GERMANY, 'user-agent': COMPUTER },
        target: '/x?utm_campaign=spring&y',
        location: 'https://sale.example/',
        rule: 'spring sale',
      },
      {
        headers: { 'x-forwarded-for': IN_THE_US, 'user-agent': PHONE },
        target: '/x',
        location: 'https://default.example/x',
        rule: undefined,
      },
    ];
    for (const { headers, target, location, rule } of cases) {
      const answer = await visit(target, headers);
      expect(answer).toMatchObject({ status: 302, headers: { location, 'cache-control': 'no-store' } });
      if (rule === 'German phones') matched.german += 1;
      if (rule === 'spring sale') matched.spring += 1;
      const { pathname, searchParams } = new URL(target, 'http://any.example');
      const tested = await product.api<TestAnswer>('POST', `/rules/redirect/${id}/test`, {
        userAttributes: {
          ip_address: headers['x-forwarded-for'],
          user_agent: headers['user-agent'],
          url_path: pathname,
          query_params: Object.fromEntries(searchParams),
        },
      });
      expect(tested.status).toBe(200);
      expect(tested.body.result?.ruleName).toBe(rule);
      if (rule !== undefined) expect(tested.body.result?.url).toBe(location);
    }

    // An A/B test remembers its choice in a cookie, and the choice survives.
    const first = await visit('/landing', {});
    const [cookie] = first.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^wm_\d+=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const landings = { red: 0, blue: 0 };
    const people = { red: 0, blue: 0 };
    const countLanding = (location: string | undefined, isPerson = false) => {
      const variant = location === 'https://red.example/landing' ? 'red' : 'blue';
      landings[variant] += 1;
      people[variant] += Number(isPerson);
    };
    countLanding(first.headers.location);
    for (let visits = 0; visits < 5; visits++) {
      const again = await visit('/landing', { cookie: (cookie ?? '').split(';')[0] ?? '' });
      expect(again.headers.location).toBe(first.headers.location);
      expect(again.headers['set-cookie']).toBeUndefined();
      countLanding(again.headers.location);
    }
    // Who names no browser is taken for a bot.
    for (let visits = 0; visits < 40; visits++) {
      const isPerson = visits % 4 === 0;
      const answer = await visit('/landing', isPerson ? { 'user-agent': COMPUTER } : {});
      countLanding(answer.headers.location, isPerson);
    }
    expect(Math.min(landings.red, landings.blue)).toBeGreaterThan(0);

    const countsAreRight = (running: Product) =>
      vi.waitFor(
        async () => {
          const counts = Object.fromEntries(
            (await rulesOf(running, id)).map((rule) => [rule.name, rule.hitCount]),
          );
          expect(counts).toEqual({
            'German phones': matched.german,
            'spring sale': matched.spring,
            'a draft never decides': 0,
            'landing pages': landings.red + landings.blue,
          });
        },
        { interval: 50 },
      );
    await countsAreRight(product);

    const { body: analytics } = await product.api<AnalyticsAnswer>('GET', `/rules/redirect/${id}/analytics`);
    const total = matched.german + matched.spring + landings.red + landings.blue;
    expect(analytics).toMatchObject({ totalHits: total, totalRules: 4, activeRules: 3 });
    const experiment = analytics.analytics.find(({ name }) => name === 'landing pages');
    expect(experiment?.humanHits).toBe(10);
    expect(experiment?.variants).toMatchObject([
      { name: 'red', hits: landings.red, humanHits: people.red },
      { name: 'blue', hits: landings.blue, humanHits: people.blue },
    ]);
    const { body: stats } = await product.api<{ data: { totalHits: number } }>(
      'GET',
      `/analytics/redirect/${id}/stats/basic`,
    );
    expect(stats.data.totalHits).toBe(0);

    // Rules and their counts survive a restart.
    expect(await product.end('SIGTERM')).toBe(0);
    product = await startForTest({ dataDir, environment: RULES_ENVIRONMENT, token });
    expect((await visit('/x', german)).headers.location).toBe('https://m.example/de/x');
    matched.german += 1;
    await countsAreRight(product);
    expect(await product.end('SIGTERM')).toBe(0);
  }));
