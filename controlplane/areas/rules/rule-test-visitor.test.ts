import { beforeAll, describe, expect, test } from 'vitest';
import type { Visitor } from '../../../shared/rules/attributes.js';
import { createInsight, IPHONE, NOW } from './rule-test.fixture.js';
import type { RuleTestRequest, UserAttributes } from './rule-test-schema.js';
import { createTestedVisitor, describedVisitor, type VisitorInsight } from './rule-test-visitor.js';

let insight: VisitorInsight;
beforeAll(async () => {
  insight = await createInsight();
});

const visitorOf = (userAttributes: UserAttributes, body: Partial<RuleTestRequest> = {}): Visitor =>
  createTestedVisitor(describedVisitor({ userAttributes, ...body }), insight, NOW);

test.each<[string, UserAttributes, (visitor: Visitor) => unknown, unknown]>([
  ['country as given', { country: 'FR', ip_address: '5.9.0.1' }, (v) => v.country(), 'FR'],
  ['country of the address', { ip_address: '5.9.0.1' }, (v) => v.country(), 'DE'],
  ['country of an IPv4 address written as IPv6', { ip_address: '::ffff:5.9.0.1' }, (v) => v.country(), 'DE'],
  ['no country without an address', {}, (v) => v.country(), undefined],
  [
    'no country when it is given empty',
    { country: '', ip_address: '5.9.0.1' },
    (v) => v.country(),
    undefined,
  ],
  [
    'no region, which the bundled database does not know',
    { ip_address: '5.9.0.1' },
    (v) => v.region(),
    undefined,
  ],
  ['region as given', { region: 'Bavaria' }, (v) => v.region(), 'Bavaria'],
  ['city as given', { city: 'Munich' }, (v) => v.city(), 'Munich'],
  ['device type as given', { device_type: 'tablet', user_agent: IPHONE }, (v) => v.deviceType(), 'tablet'],
  ['device type of the user agent', { user_agent: IPHONE }, (v) => v.deviceType(), 'mobile'],
  ['device brand of the user agent', { user_agent: IPHONE }, (v) => v.deviceBrand(), 'Apple'],
  ['device model of the user agent', { user_agent: IPHONE }, (v) => v.deviceModel(), 'iPhone'],
  ['browser of the user agent', { user_agent: IPHONE }, (v) => v.browserName(), 'Mobile Safari'],
  ['browser version of the user agent', { user_agent: IPHONE }, (v) => v.browserVersion(), '17.5'],
  ['operating system of the user agent', { user_agent: IPHONE }, (v) => v.osName(), 'iOS'],
  ['its version', { user_agent: IPHONE }, (v) => v.osVersion(), '17.5'],
  ['its version as given', { os_version: '9', user_agent: IPHONE }, (v) => v.osVersion(), '9'],
  ['no browser without a user agent', {}, (v) => v.browserName(), undefined],
  ['user agent as given', { user_agent: IPHONE }, (v) => v.userAgent(), IPHONE],
  ['no user agent when it is given empty', { user_agent: '' }, (v) => v.userAgent(), undefined],
  ['referrer as given', { referrer: 'https://a.example/b' }, (v) => v.referrer(), 'https://a.example/b'],
  [
    'domains of the referrer',
    { referrer: 'https://shop.example.co.uk/b' },
    (v) => v.referrerDomains(),
    ['shop.example.co.uk', 'example.co.uk'],
  ],
  [
    'referrer domain as given, not that of the referrer',
    { referrer: 'https://a.example/', referrer_domain: 'B.Example' },
    (v) => v.referrerDomains(),
    ['b.example'],
  ],
  [
    'no referrer domain when it is given empty',
    { referrer: 'https://a.example/', referrer_domain: '' },
    (v) => v.referrerDomains(),
    [],
  ],
  ['language as given', { language: 'de-AT' }, (v) => v.language(), 'de-AT'],
  ['language that the header prefers', { language: 'en;q=0.5,de;q=0.9' }, (v) => v.language(), 'de'],
  ['no language where a header would give none', { language: '*' }, (v) => v.language(), undefined],
  ['no language without one', {}, (v) => v.language(), undefined],
  ['path as given', { url_path: '/a%20b' }, (v) => v.urlPath(), '/a%20b'],
  ['path as on the wire', { url_path: '/ä' }, (v) => v.urlPath(), '/%C3%A4'],
  ['path / without one', {}, (v) => v.urlPath(), '/'],
  ['query value as given', { query_params: { q: 'a+b &c=ü' } }, (v) => v.queryValues('q'), ['a+b &c=ü']],
  ['several query values', { query_params: { q: ['1', ''] } }, (v) => v.queryValues('q'), ['1', '']],
  ['no query value', { query_params: { q: '1' } }, (v) => v.queryValues('Q'), []],
  ['address in canonical form', { ip_address: '2001:DB8::0:1' }, (v) => v.address(), '2001:db8::1'],
  ['no address', {}, (v) => v.address(), undefined],
  ['hour as given', { hour_of_day: 0 }, (v) => v.hourOfDay(), 0],
  ['hour of the clock', {}, (v) => v.hourOfDay(), 21],
  ['hour of a clock elsewhere', {}, (v) => v.hourOfDay('asia/kathmandu'), 3],
  ['hour as given, wherever the clock is', { hour_of_day: 0 }, (v) => v.hourOfDay('asia/kathmandu'), 0],
  ['day of a clock elsewhere', {}, (v) => v.dayOfWeek('asia/kathmandu'), 4],
  ['day as given, wherever the clock is', { day_of_week: 0 }, (v) => v.dayOfWeek('asia/kathmandu'), 0],
  ['day as given', { day_of_week: 0 }, (v) => v.dayOfWeek(), 0],
  ['day of the clock', {}, (v) => v.dayOfWeek(), 3],
  ['time of the clock, whatever the hour', { hour_of_day: 1 }, (v) => v.nowMs(), NOW.getTime()],
  ['no cookies', {}, (v) => v.cookie('wm_1'), undefined],
])('a visitor has the %s', (_what, attributes, read, expected) => {
  expect(read(visitorOf(attributes))).toEqual(expected);
});

test.each([
  ['www.google.com', 'https://www.google.com/search'],
  ['News.Ycombinator.COM', 'https://news.ycombinator.com/item'],
  ['münchen.de', 'https://www.münchen.de/'],
  ['www.example.co.uk.', 'https://www.example.co.uk./'],
  ['https://shop.example.com/', 'https://shop.example.com/a'],
  ['https://shop.example.com:8080/a?b', 'https://shop.example.com:8080/a?b'],
  ['localhost', 'http://localhost:3000/'],
  ['2001:DB8::1', 'http://[2001:db8::1]/'],
  ['co.uk', 'https://co.uk/'],
])('the referrer domain %s is what traffic makes of %s', (referrer_domain, referrer) => {
  const domains = visitorOf({ referrer_domain }).referrerDomains();
  expect(domains).toEqual(insight.referrerDomains(referrer));
  expect(domains).not.toEqual([]);
});

test.each(['Google Search', 'android-app://com.slack/', 'a..b'])(
  '%s is no referrer domain',
  (referrer_domain) => {
    expect(visitorOf({ referrer_domain, referrer: 'https://a.example/' }).referrerDomains()).toEqual([]);
  },
);

describe('the dice', () => {
  const draws = (visitor: Visitor) => [1, 2, 3].map((seed) => visitor.draw(seed));

  test('repeat for a visitor id, wherever it is given', () => {
    const first = draws(visitorOf({ visitorId: 'ann' }));
    expect(draws(visitorOf({ visitorId: 'ann' }))).toEqual(first);
    expect(draws(visitorOf({}, { visitorId: 'ann' }))).toEqual(first);
    expect(new Set(first).size).toBe(3);
  });

  test('differ from visitor to visitor, and from throw to throw without an id', () => {
    expect(draws(visitorOf({ visitorId: 'ann' }))).not.toEqual(draws(visitorOf({ visitorId: 'bob' })));
    expect(draws(visitorOf({}))).not.toEqual(draws(visitorOf({})));
  });

  test('take the id among the attributes before the one beside them', () => {
    expect(visitorOf({ visitorId: 'ann' }, { visitorId: 'bob' }).visitorId()).toBe('ann');
  });

  test('know a visitor without an id as real traffic does', () => {
    const visitorId = insight.identify('2001:db8::1', IPHONE);
    expect(visitorOf({ ip_address: '2001:DB8:0::1', user_agent: IPHONE }).visitorId()).toBe(visitorId);
  });
});

test.each(['', '5.9.0', '5.9.0.1:80', '5.9.0.0/24', 'localhost'])('%j is no address', (ip_address) => {
  expect(() => visitorOf({ ip_address })).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      field: 'userAttributes.ip_address',
      message: expect.stringContaining('an IPv4 or IPv6 address'),
    }),
  );
});
