import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileRules } from '../../../shared/rules/compile-rules.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { createTestVisitor, type TestVisitorTraits } from '../../../shared/rules/visitor.fixture.js';
import { IPHONE, NOW, type RuleTestApi, startRuleTestApi } from './rule-test.fixture.js';
import type { RuleTestResult, UserAttributes } from './rule-test-schema.js';

let area: RuleTestApi;
beforeAll(async () => {
  area = await startRuleTestApi();
});
afterAll(() => area.close());

const GERMANS = { attribute: 'country', operator: 'equals', value: 'DE' };
const split = (percentage: number, sticky = 'none') => ({
  name: 'a part',
  type: 'percentage',
  action: { type: 'percentage_redirect', url: 'https://part.example/', percentage, sticky },
});
const experiment = (sticky: string) => ({
  name: 'an experiment',
  type: 'ab_experiment',
  action: {
    type: 'ab_test',
    sticky,
    variants: [
      { name: 'red', percentage: 50, url: 'https://red.example/' },
      { name: 'blue', percentage: 50, url: 'https://blue.example/' },
    ],
  },
});

describe('which rule decides', () => {
  test('is the first active one within its dates', async () => {
    const { id } = await area.redirectWith([
      { name: 'a draft', status: 'draft' },
      { name: 'switched off', status: 'inactive' },
      { name: 'over', endDate: '2026-03-17' },
      { name: 'to come', startDate: '2026-03-18T21:40:00.001Z' },
      { name: 'today', startDate: '2026-03-18', endDate: '2026-03-18' },
      { name: 'later in the list' },
    ]);
    expect((await area.matchOf(id, {})).ruleName).toBe('today');
  });

  test('is not told where real visitors would be refused for what they sent', async () => {
    const conditions = Array.from({ length: 200 }, (_, at) => ({
      attribute: 'url_path',
      operator: 'regex',
      value: `(a|b)${at}$`,
    }));
    const { id } = await area.redirectWith([{ name: 'many looks', conditions, conditionLogic: 'OR' }]);
    const long = await area.tryOut(id, { url_path: `/${'a'.repeat(8_000)}` });
    expect(long.result).toBeNull();
    expect(long.message).toContain('url_path is too long for so many rules');
    expect((await area.tryOut(id, { url_path: '/a199' })).result?.ruleName).toBe('many looks');
  });

  /** Rules in order. Each visitor below matches one of them, by its name. */
  const RULES = [
    {
      name: 'network',
      conditions: [{ attribute: 'ip_address', operator: 'ip_range', value: '192.0.2.0/24' }],
    },
    { name: 'evening', conditions: [{ attribute: 'hour_of_day', operator: 'between', value: [22, 4] }] },
    { name: 'sunday', conditions: [{ attribute: 'day_of_week', operator: 'equals', value: 0 }] },
    { name: 'Germans', conditions: [GERMANS] },
    { name: 'phones', conditions: [{ attribute: 'device_type', operator: 'equals', value: 'mobile' }] },
    {
      name: 'old browsers',
      conditions: [{ attribute: 'browser_version', operator: 'less_than', value: '90' }],
    },
    {
      name: 'sale',
      conditions: [{ attribute: 'query_param', param: 'utm', operator: 'in', value: ['sale'] }],
    },
    {
      name: 'partners',
      conditions: [{ attribute: 'referrer_domain', operator: 'equals', value: 'Partner.example' }],
    },
    { name: 'docs', conditions: [{ attribute: 'url_path', operator: 'starts_with', value: '/dócs' }] },
    { name: 'articles', conditions: [{ attribute: 'url_path', operator: 'regex', value: '^/a/[0-9]+$' }] },
    { name: 'French', conditions: [{ attribute: 'language', operator: 'equals', value: 'fr' }] },
    {
      name: 'Paris or Lyon',
      conditionLogic: 'OR',
      conditions: [
        { attribute: 'city', operator: 'equals', value: 'Paris' },
        { attribute: 'city', operator: 'equals', value: 'Lyon' },
      ],
    },
  ];

  const CASES: readonly [string | undefined, UserAttributes, TestVisitorTraits][] = [
    ['network', { ip_address: '192.0.2.7' }, { address: '192.0.2.7' }],
    ['evening', { hour_of_day: 23 }, { hourOfDay: 23 }],
    ['sunday', { day_of_week: 0 }, { dayOfWeek: 0 }],
    ['Germans', { ip_address: '5.9.0.1' }, { address: '5.9.0.1', country: 'DE' }],
    ['Germans', { country: 'DE', user_agent: IPHONE }, { country: 'DE', deviceType: 'mobile' }],
    ['phones', { user_agent: IPHONE }, { deviceType: 'mobile', browserVersion: '17.5' }],
    ['old browsers', { browser_version: '89.9' }, { browserVersion: '89.9' }],
    ['sale', { query_params: { utm: ['x', 'sale'] } }, { query: { utm: ['x', 'sale'] } }],
    ['partners', { referrer: 'https://www.partner.example/' }, { referrerDomains: ['partner.example'] }],
    ['partners', { referrer_domain: 'WWW.PARTNER.example.' }, { referrerDomains: ['partner.example'] }],
    ['docs', { url_path: '/dócs/x' }, { urlPath: '/d%C3%B3cs/x' }],
    ['docs', { url_path: '/d%C3%B3cs/x' }, { urlPath: '/d%C3%B3cs/x' }],
    ['articles', { url_path: '/a/12' }, { urlPath: '/a/12' }],
    ['French', { language: 'fr-CA' }, { language: 'fr-CA' }],
    ['Paris or Lyon', { city: 'Lyon' }, { city: 'Lyon' }],
    [undefined, {}, {}],
    [undefined, { country: 'de' }, { country: 'de' }],
  ];

  test('is what the code of data planes decides', async () => {
    const { id, host, rules } = await area.redirectWith(RULES);
    const served = await area.served(host);
    const matcher = compileRules(served!.rules!, createRegexGuard());
    const nameOf = new Map(rules.map((rule) => [rule.id, rule.name]));
    const now = { hourOfDay: 21, dayOfWeek: 3, nowMs: NOW.getTime(), urlPath: '/' };
    for (const [expected, attributes, traits] of CASES) {
      const outcome = matcher.decide(createTestVisitor({ ...now, ...traits }));
      const { result } = await area.tryOut(id, attributes);
      const decided = outcome === undefined ? undefined : nameOf.get(outcome.ruleId);
      expect([result?.ruleName, decided], JSON.stringify(attributes)).toEqual([expected, expected]);
    }
  });
});

describe('the dice', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `visitor ${n}`);

  test('send a part of the visitors on, each visitor id always the same way', async () => {
    const { id } = await area.redirectWith([split(50)], { pathForwarding: true });
    const results: RuleTestResult[] = [];
    for (const visitorId of ids) {
      const result = await area.matchOf(id, { url_path: '/a' }, { visitorId });
      expect(result).toMatchObject({ actionType: 'percentage_redirect', percentage: 50 });
      expect((await area.matchOf(id, { url_path: '/a', visitorId })).triggered).toBe(result.triggered);
      results.push(result);
    }
    const [inside, outside] = [true, false].map((triggered) =>
      results.filter((r) => r.triggered === triggered),
    );
    expect(new Set(inside!.map(({ url }) => url))).toEqual(new Set(['https://part.example/a']));
    expect(new Set(outside!.map(({ url }) => url))).toEqual(new Set(['https://default.example/a']));
    expect(outside![0]!.message).toContain('outside its 50 %');
  });

  test.each(['cookie', 'visitor', 'none'])(
    'give a visitor id always the same variant (%s)',
    async (sticky) => {
      const { id } = await area.redirectWith([experiment(sticky)]);
      const variants = new Set<string | undefined>();
      for (const visitorId of ids) {
        const result = await area.matchOf(id, { visitorId });
        expect(result).toMatchObject({ actionType: 'ab_test', url: `https://${result.variant}.example/` });
        expect((await area.matchOf(id, { visitorId })).variant).toBe(result.variant);
        variants.add(result.variant);
      }
      expect([...variants].sort()).toEqual(['blue', 'red']);
    },
  );

  test('fall anew each time for a visitor without an id', async () => {
    const { id } = await area.redirectWith([experiment('cookie')]);
    const variants = new Set<string | undefined>();
    // The probability that all draws are equal is 1 in 2^199.
    for (let n = 0; n < 200 && variants.size < 2; n++) variants.add((await area.matchOf(id, {})).variant);
    expect(variants.size).toBe(2);
  });

  test('of a choice that sticks to the visitor fall as for the real one', async () => {
    const { id, host } = await area.redirectWith([experiment('visitor')]);
    const served = await area.served(host);
    const matcher = compileRules(served!.rules!, createRegexGuard());
    const variants = new Set<string | undefined>();
    for (let n = 0; n < 40; n++) {
      const address = `192.0.2.${n}`;
      const visitorId = area.insight.identify(address, IPHONE);
      const result = await area.matchOf(id, { ip_address: address, user_agent: IPHONE });
      expect(result.variant).toBe(matcher.decide(createTestVisitor({ visitorId }))?.variant);
      variants.add(result.variant);
    }
    expect(variants.size).toBe(2);
  });
});

describe('the clock of a time zone', () => {
  // It is 21:40 in UTC, 03:25 of the next day in Nepal.
  const NIGHT = { attribute: 'hour_of_day', operator: 'equals', value: 3, timezone: 'Asia/Kathmandu' };
  const THURSDAY = { attribute: 'day_of_week', operator: 'equals', value: 4, timezone: 'Asia/Kathmandu' };

  test('is read for the conditions that name it, and what is given is what it shows', async () => {
    const { id } = await area.redirectWith([{ name: 'night there', conditions: [NIGHT, THURSDAY] }]);
    expect((await area.matchOf(id, {})).ruleName).toBe('night there');
    expect((await area.matchOf(id, { hour_of_day: 3, day_of_week: 4 })).ruleName).toBe('night there');
    expect((await area.tryOut(id, { hour_of_day: 21 })).result).toBeNull();
    const { explanation } = await area.tryOut(id, { day_of_week: 3 }, { explain: true });
    const of = ({ attribute, operator, timezone }: typeof NIGHT) => ({ attribute, operator, timezone });
    expect(explanation![0]).toMatchObject({
      outcome: 'not_matched',
      conditions: [
        { index: 0, ...of(NIGHT), matched: true },
        { index: 1, ...of(THURSDAY), matched: false },
      ],
      decidedBy: 1,
    });
  });
});

describe('the explanation', () => {
  test('says of each rule which condition decided', async () => {
    const phones = { attribute: 'device_type', operator: 'equals', value: 'mobile' };
    const campaign = { attribute: 'query_param', param: 'utm', operator: 'exists' };
    const { id, rules } = await area.redirectWith([
      { name: 'both', conditions: [GERMANS, phones] },
      { name: 'off', status: 'inactive' },
      { name: 'over', endDate: '2020-01-01' },
      { name: 'to come', startDate: '2100-01-01' },
      { name: 'either', conditionLogic: 'OR', conditions: [phones, campaign] },
      { name: 'idea', status: 'draft' },
      { name: 'rest' },
    ]);
    const { explanation } = await area.tryOut(
      id,
      { country: 'DE', query_params: { utm: '' } },
      { explain: true },
    );
    const matched = { matched: true };
    const not = { matched: false };
    const { value: _phones, ...phonesTest } = phones;
    const { value: _germans, ...germansTest } = GERMANS;
    const nothing = { conditions: [], decidedBy: null };
    expect(explanation).toEqual(
      [
        {
          ruleName: 'both',
          outcome: 'not_matched',
          conditions: [
            { index: 0, ...germansTest, ...matched },
            { index: 1, ...phonesTest, ...not },
          ],
          decidedBy: 1,
        },
        { ruleName: 'off', outcome: 'inactive', ...nothing },
        { ruleName: 'over', outcome: 'ended', ...nothing },
        { ruleName: 'to come', outcome: 'not_started', ...nothing },
        {
          ruleName: 'either',
          outcome: 'matched',
          conditions: [
            { index: 0, ...phonesTest, ...not },
            { index: 1, ...campaign, ...matched },
          ],
          decidedBy: 1,
        },
        { ruleName: 'idea', outcome: 'draft', ...nothing },
        { ruleName: 'rest', outcome: 'not_reached', ...nothing },
      ].map((rule, place) => ({ ruleId: rules[place]!.id, ...rule })),
    );
  });

  test('says of a referrer domain what traffic makes of it', async () => {
    const on = (operator: string, value: string) => ({ attribute: 'referrer_domain', operator, value });
    const { id } = await area.redirectWith([
      { name: 'elsewhere', conditions: [on('not_equals', 'Google.com')] },
      { name: 'mail', conditions: [on('equals', 'mail.google.com')] },
      { name: 'search', conditions: [on('equals', 'www.google.com')] },
    ]);
    const outcomesOf = async (attributes: UserAttributes) => {
      const { result, explanation } = await area.tryOut(id, attributes, { explain: true });
      const rules = explanation!.map(({ outcome }) => outcome);
      return [result?.ruleName, ...rules];
    };
    const mail = ['mail', 'not_matched', 'matched', 'not_reached'];
    expect(await outcomesOf({ referrer_domain: 'WWW.Mail.Google.com.' })).toEqual(mail);
    expect(await outcomesOf({ referrer: 'https://mail.google.com/a' })).toEqual(mail);
    const search = ['search', 'not_matched', 'not_matched', 'matched'];
    expect(await outcomesOf({ referrer_domain: 'www.google.com' })).toEqual(search);
    expect(await outcomesOf({ referrer: 'https://www.google.com/' })).toEqual(search);
  });

  test('is there only when it is asked for', async () => {
    const { id } = await area.redirectWith([{}]);
    expect(await area.tryOut(id, {}, { explain: false })).not.toHaveProperty('explanation');
  });
});
