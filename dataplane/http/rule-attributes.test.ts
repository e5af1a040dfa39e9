import { describe, expect, it } from 'vitest';
import { ATTRIBUTES, type Attribute } from '../../shared/rules/attributes.js';
import type { RuleCondition } from '../../shared/rules/rule-definition.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { redirectOf } from '../sync/redirect-definition.fixture.js';
import { ruleOf } from '../sync/rule-definition.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { exchange, request } from './raw-client.fixture.js';
import { openVisitorPort, type VisitorPortOptions } from './visitor-port.fixture.js';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const WINTERTHUR = { country: 'CH', region: 'Zurich', city: 'Winterthur' };
const GRAZ = { country: 'AT', region: 'Styria', city: 'Graz' };

/** Sunday, 21:30. */
const NOW_MS = Date.parse('2026-11-22T21:30:00.000Z');

const SETTING: VisitorPortOptions = {
  trustedProxies: ['127.0.0.0/8'],
  visitorSources: testVisitorSources({
    places: { '192.0.2.1': WINTERTHUR, '2001:db8::1': GRAZ },
    nowMs: () => NOW_MS,
  }),
};

interface Sent {
  readonly target?: string;
  readonly headers?: string[];
}

/** Whether a visitor who sends this is led on by a rule with this one condition. */
async function isLedBy(condition: RuleCondition, { target = '/', headers = [] }: Sent, setting = SETTING) {
  const { port } = await openVisitorPort(
    [redirectOf('a.example', { rules: [ruleOf(7, { conditions: [condition] })] })],
    setting,
  );
  const answer = await exchange(port, request(target, 'a.example', { headers }));
  expect(answer.statusCode).toBe(301);
  return answer.headers.location === 'https://rule-7.example';
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const from = (address: string): Sent => ({ headers: [`X-Forwarded-For: ${address}`] });
const agent = (userAgent: string): Sent => ({ headers: [`User-Agent: ${utf8(userAgent)}`] });
const referrer = (url: string): Sent => ({ headers: [`Referer: ${utf8(url)}`] });
const language = (accept: string): Sent => ({ headers: [`Accept-Language: ${accept}`] });
const to = (target: string): Sent => ({ target: utf8(target) });

const NOTHING: Sent = {};

type Case = RuleCondition & { readonly by: Sent; readonly not: Sent };

const CASES: readonly Case[] = [
  { attribute: 'country', operator: 'equals', value: 'CH', by: from('192.0.2.1'), not: from('2001:db8::1') },
  { attribute: 'country', operator: 'not_exists', by: NOTHING, not: from('2001:DB8:0::1') },
  { attribute: 'region', operator: 'starts_with', value: 'Sty', by: from('2001:db8::1'), not: NOTHING },
  { attribute: 'city', operator: 'in', value: ['Bern', 'Graz'], by: from('2001:db8::1'), not: NOTHING },
  { attribute: 'device_type', operator: 'equals', value: 'mobile', by: agent(IPHONE), not: agent(FIREFOX) },
  {
    attribute: 'device_type',
    operator: 'equals',
    value: 'desktop',
    by: agent(FIREFOX),
    not: agent('curl/8'),
  },
  { attribute: 'device_brand', operator: 'equals', value: 'Apple', by: agent(IPHONE), not: agent(FIREFOX) },
  { attribute: 'device_model', operator: 'contains', value: 'Phone', by: agent(IPHONE), not: NOTHING },
  { attribute: 'browser_name', operator: 'equals', value: 'Firefox', by: agent(FIREFOX), not: agent(IPHONE) },
  {
    attribute: 'browser_version',
    operator: 'greater_equal',
    value: '128',
    by: agent(FIREFOX),
    not: agent(IPHONE),
  },
  { attribute: 'os_name', operator: 'not_equals', value: 'iOS', by: NOTHING, not: agent(IPHONE) },
  {
    attribute: 'os_version',
    operator: 'between',
    value: ['17.3', '17.10'],
    by: agent(IPHONE),
    not: agent(FIREFOX),
  },
  {
    attribute: 'referrer',
    operator: 'equals',
    value: 'https://from.example/ü?q',
    by: referrer('https://from.example/ü?q'),
    not: referrer('https://from.example/'),
  },
  {
    attribute: 'referrer_domain',
    operator: 'equals',
    value: 'From.co.uk',
    by: referrer('https://WWW.from.co.uk/any'),
    not: referrer('https://from.example/from.co.uk'),
  },
  {
    attribute: 'referrer_domain',
    operator: 'equals',
    value: 'news.ycombinator.com',
    by: referrer('https://news.ycombinator.com/item'),
    not: referrer('https://ycombinator.com/'),
  },
  {
    attribute: 'referrer_domain',
    operator: 'not_in',
    value: ['from.co.uk'],
    by: referrer('https://other.co.uk/'),
    not: referrer('https://a.b.from.co.uk/'),
  },
  { attribute: 'hour_of_day', operator: 'between', value: [21, 3], by: NOTHING, not: NOTHING },
  { attribute: 'day_of_week', operator: 'equals', value: 0, by: NOTHING, not: NOTHING },
  {
    attribute: 'language',
    operator: 'equals',
    value: 'de',
    by: language('en;q=0.5, DE-ch'),
    not: language('en, de;q=0.9'),
  },
  { attribute: 'url_path', operator: 'equals', value: '/é/%2f', by: to('/é/%2f?x'), not: to('/é/%2E') },
  { attribute: 'url_path', operator: 'equals', value: '/%C3%A9', by: to('/é'), not: to('/%c3%aa') },
  {
    attribute: 'query_param',
    param: 'q',
    operator: 'equals',
    value: 'ü b',
    by: to('/?p&q=%C3%BC+b'),
    not: to('/?Q=%C3%BC+b'),
  },
  {
    attribute: 'query_param',
    param: 'q',
    operator: 'less_than',
    value: 10,
    by: to('/?q=ten&q=9.5'),
    not: to('/?q=ten'),
  },
  { attribute: 'query_param', param: 'é', operator: 'exists', by: to('/?%C3%A9'), not: to('/?e=1') },
  {
    attribute: 'user_agent',
    operator: 'ends_with',
    value: 'Bröwser/1',
    by: agent('A Bröwser/1'),
    not: NOTHING,
  },
  {
    attribute: 'ip_address',
    operator: 'ip_range',
    value: '2001:db8::/64',
    by: from('[2001:DB8::1]:80'),
    not: from('2001:db8:0:1::1'),
  },
  { attribute: 'ip_address', operator: 'equals', value: '127.0.0.1', by: NOTHING, not: from('192.0.2.1') },
];

/** Nobody can send another time. */
const BY_CLOCK: readonly Attribute[] = ['hour_of_day', 'day_of_week'];

describe('what a visitor sends', () => {
  it.each(CASES)('reaches rules: $attribute $operator $value', async ({ by, not, ...condition }) => {
    expect(await isLedBy(condition, by)).toBe(true);
    if (!BY_CLOCK.includes(condition.attribute)) expect(await isLedBy(condition, not)).toBe(false);
  });

  it('reaches rules in every attribute there is', () => {
    expect([...new Set(CASES.map(({ attribute }) => attribute))].sort()).toEqual(
      Object.keys(ATTRIBUTES).sort(),
    );
  });

  it.each<RuleCondition>([
    { attribute: 'hour_of_day', operator: 'between', value: [22, 20] },
    { attribute: 'day_of_week', operator: 'not_equals', value: 0 },
  ])('does not change the time of day: $attribute $operator $value', async (condition) => {
    expect(await isLedBy(condition, NOTHING)).toBe(false);
  });

  it('is judged by the clock of a time zone before and after it is changed', async () => {
    const inBerlin = { attribute: 'hour_of_day', operator: 'equals', timezone: 'Europe/Berlin' } as const;
    const at = (instant: string) => ({
      ...SETTING,
      visitorSources: testVisitorSources({ nowMs: () => Date.parse(instant) }),
    });
    const isHour = (value: number, instant: string) => isLedBy({ ...inBerlin, value }, NOTHING, at(instant));
    expect(await isHour(1, '2026-03-29T00:59:59Z')).toBe(true);
    expect(await isHour(2, '2026-03-29T01:00:00Z')).toBe(false);
    expect(await isHour(3, '2026-03-29T01:00:00Z')).toBe(true);
    expect(await isHour(2, '2026-10-25T00:30:00Z')).toBe(true);
    expect(await isHour(2, '2026-10-25T01:30:00Z')).toBe(true);
  });

  it.each([
    { trustedProxies: ['127.0.0.0/8'], expected: true },
    { trustedProxies: [], expected: false },
  ])('is believed about its address when $trustedProxies are trusted: $expected', async (given) => {
    const condition: RuleCondition = { attribute: 'ip_address', operator: 'ip_range', value: '192.0.2.0/24' };
    const { trustedProxies, expected } = given;
    expect(await isLedBy(condition, from('192.0.2.1'), { ...SETTING, trustedProxies })).toBe(expected);
  });

  it('is not that of a proxy which does not know it: nothing of the address is known then', async () => {
    const proxies = { ...SETTING, trustedProxies: ['127.0.0.0/8'] };
    const ofProxy: RuleCondition = { attribute: 'ip_address', operator: 'equals', value: '127.0.0.1' };
    const placed: RuleCondition = { attribute: 'country', operator: 'exists' };
    const elsewhere: RuleCondition = { attribute: 'ip_address', operator: 'not_equals', value: '192.0.2.1' };
    expect(await isLedBy(ofProxy, from('unknown'), proxies)).toBe(false);
    expect(await isLedBy(placed, from('unknown'), proxies)).toBe(false);
    expect(await isLedBy(elsewhere, from('unknown'), proxies)).toBe(true);
  });

  it('is placed by the bundled database', async () => {
    const condition: RuleCondition = { attribute: 'country', operator: 'equals', value: 'US' };
    const visitorSources = { ...testVisitorSources(), places: await openPlaces({ geoipDb: undefined }) };
    expect(await isLedBy(condition, from('8.8.8.8'), { ...SETTING, visitorSources })).toBe(true);
    expect(await isLedBy(condition, from('10.0.0.1'), { ...SETTING, visitorSources })).toBe(false);
  });
});

describe('hostile requests', () => {
  const BOMB: RuleCondition = { attribute: 'url_path', operator: 'regex', value: '(a+)+$' };
  const Q_IS_1: RuleCondition = { attribute: 'query_param', param: 'q', operator: 'equals', value: '1' };
  const DOMAIN: RuleCondition = { attribute: 'referrer_domain', operator: 'exists' };
  const LANGUAGE: RuleCondition = { attribute: 'language', operator: 'exists' };
  // As much as surely comes in one piece on a local connection; what comes in pieces is refused much earlier.
  const FILLER = 'a'.repeat(30_000);

  it.each<[string, RuleCondition, Sent, boolean]>([
    ['a path that makes other engines backtrack', BOMB, to(`/${FILLER}!`), false],
    ['a parameter after many empty ones', Q_IS_1, to(`/?${'&'.repeat(30_000)}q=1`), true],
    ['a parameter after many without value', Q_IS_1, to(`/?${'a&'.repeat(15_000)}q=1`), true],
    ['malformed escapes', Q_IS_1, to('/?%=1&%zz=1&q=%&q=1%'), false],
    ['bytes that are not UTF-8', Q_IS_1, { target: '/?q=\xff\xfe' }, false],
    ['a parameter with an inherited name', { ...Q_IS_1, param: '__proto__' }, to('/?q=1'), false],
    ['a referrer that is no URL', DOMAIN, referrer(`http://${FILLER}[`), false],
    ['a referrer of many labels', DOMAIN, referrer(`http://${'a.'.repeat(15_000)}`), true],
    ['a language that is none', LANGUAGE, language(`${FILLER};q=1;q=1`), false],
    ['many languages', LANGUAGE, language('x;q=0,'.repeat(4_000)), false],
  ])('get their answer: %s', async (_name, condition, sent, expected) => {
    expect(await isLedBy(condition, sent)).toBe(expected);
  });

  it('are refused, and nobody else is, when they hold more headers than the server takes', async () => {
    const rules = [ruleOf(1, { conditions: [{ attribute: 'user_agent', operator: 'not_exists' }] })];
    const { port, counts } = await openVisitorPort([redirectOf('a.example', { rules })]);
    const headers = Array.from({ length: 200 }, (_, n) => `X-${n}: ${'x'.repeat(100)}`);
    expect((await exchange(port, request('/', 'a.example', { headers }))).statusCode).toBe(431);
    expect((await exchange(port, request('/', 'a.example'))).statusCode).toBe(301);
    expect(counts).toMatchObject({ redirect: 1, failed: 0 });
  });
});
