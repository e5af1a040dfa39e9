import { describe, expect, it } from 'vitest';
import type { Visitor } from '../../shared/rules/attributes.js';
import type { RequestTexts } from './request-texts.js';
import { RequestVisitor } from './request-visitor.js';
import { type TestSources, testVisitorSources } from './visitor-sources.fixture.js';

type TestTexts = Partial<Record<keyof RequestTexts, string>>;

/** A visitor whose request says what is given; the texts may be changed from one request to the next. */
function visitorWith(texts: TestTexts, sources: TestSources = {}) {
  const request: RequestTexts = {
    path: () => texts.path ?? '/',
    query: () => texts.query ?? '',
    userAgent: () => texts.userAgent ?? '',
    referrer: () => texts.referrer ?? '',
    acceptLanguage: () => texts.acceptLanguage ?? '',
    cookies: () => texts.cookies ?? '',
    address: () => texts.address ?? '',
  };
  return new RequestVisitor(request, testVisitorSources(sources));
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const WINTERTHUR = { country: 'CH', region: 'Zurich', city: 'Winterthur' };

describe('the visitor of a request', () => {
  it('is unknown in everything that the request does not say', () => {
    const visitor = visitorWith({});
    const unknown: readonly Exclude<keyof Visitor, 'referrerDomains' | 'queryValues' | 'cookie' | 'draw'>[] =
      [
        'country',
        'region',
        'city',
        'deviceType',
        'deviceBrand',
        'deviceModel',
        'browserName',
        'browserVersion',
        'osName',
        'osVersion',
        'referrer',
        'language',
        'userAgent',
        'address',
      ];
    for (const attribute of unknown) expect(visitor[attribute](), attribute).toBeUndefined();
    expect(visitor.referrerDomains()).toEqual([]);
    expect(visitor.queryValues('q')).toEqual([]);
    expect(visitor.cookie('c')).toBeUndefined();
  });

  it.each([
    { path: '/a%2Fb', urlPath: '/a%2Fb' },
    { path: '/%c3%a9', urlPath: '/%C3%A9' },
    { path: '/é b#c', urlPath: '/%C3%A9%20b%23c' },
    { path: '*', urlPath: '*' },
    { path: '', urlPath: undefined },
  ])('comes by the path $urlPath when it is $path on the wire', ({ path, urlPath }) => {
    expect(visitorWith({ path }).urlPath()).toBe(urlPath);
  });

  it.each([
    { at: '2026-11-22T00:00:00.000Z', hour: 0, day: 0 },
    { at: '2026-11-22T23:59:59.999Z', hour: 23, day: 0 },
    { at: '2026-11-23T00:00:00.000Z', hour: 0, day: 1 },
    { at: '2026-11-28T12:30:00.000Z', hour: 12, day: 6 },
    { at: '1970-01-01T00:00:00.000Z', hour: 0, day: 4 },
    { at: '2028-02-29T13:00:00.000Z', hour: 13, day: 2 },
  ])('comes in hour $hour of day $day at $at', ({ at, hour, day }) => {
    const visitor = visitorWith({}, { nowMs: () => Date.parse(at) });
    expect([visitor.hourOfDay(), visitor.dayOfWeek()]).toEqual([hour, day]);
    expect(visitor.nowMs()).toBe(Date.parse(at));
  });

  it.each([
    { zone: 'europe/berlin', at: '2026-03-29T01:00:00Z', hour: 3, day: 0 },
    { zone: 'asia/kathmandu', at: '2026-11-22T18:15:00Z', hour: 0, day: 1 },
  ])('comes in hour $hour of day $day by the clock of $zone at $at', ({ zone, at, hour, day }) => {
    const visitor = visitorWith({}, { nowMs: () => Date.parse(at) });
    expect([visitor.hourOfDay(zone), visitor.dayOfWeek(zone)]).toEqual([hour, day]);
  });

  it('stays the same until it is forgotten, whatever the clock does', () => {
    let nowMs = Date.parse('2026-11-22T23:59:59.999Z');
    const visitor = visitorWith({}, { nowMs: () => nowMs });
    expect(visitor.dayOfWeek()).toBe(0);
    nowMs += 1;
    expect([visitor.dayOfWeek(), visitor.hourOfDay()]).toEqual([0, 23]);
    visitor.forget();
    expect([visitor.dayOfWeek(), visitor.hourOfDay()]).toEqual([1, 0]);
  });

  it('has nothing of the visitor before once that one is forgotten', () => {
    const texts: TestTexts = {
      path: '/é',
      userAgent: IPHONE,
      acceptLanguage: 'de',
      address: '192.0.2.1',
      referrer: 'https://www.far.from.example/',
    };
    const visitor = visitorWith(texts, { places: { '192.0.2.1': WINTERTHUR } });
    const seen = () => [
      visitor.country(),
      visitor.osName(),
      visitor.language(),
      visitor.referrerDomains(),
      visitor.urlPath(),
    ];
    expect(seen()).toEqual(['CH', 'iOS', 'de', ['far.from.example', 'from.example'], '/%C3%A9']);
    Object.assign(texts, { path: '/a', userAgent: FIREFOX, acceptLanguage: '', address: '', referrer: '' });
    visitor.forget();
    expect(seen()).toEqual([undefined, 'Linux', undefined, [], '/a']);
  });

  it('remembers parameters until it is forgotten', () => {
    const texts: TestTexts = { query: 'q=1&q=2' };
    const visitor = visitorWith(texts);
    expect(visitor.queryValues('q')).toEqual(['1', '2']);
    expect(visitor.queryValues('q')).toBe(visitor.queryValues('q'));
    texts.query = 'q=3';
    visitor.forget();
    expect(visitor.queryValues('q')).toEqual(['3']);
  });

  it('remembers the domains of a referrer from request to request, and has nothing to remember without one', () => {
    const texts: TestTexts = { referrer: 'https://news.from.example/' };
    const visitor = visitorWith(texts);
    const domains = visitor.referrerDomains();
    visitor.forget();
    expect(visitor.referrerDomains()).toBe(domains);
    texts.referrer = '';
    visitor.forget();
    const none = visitor.referrerDomains();
    visitor.forget();
    expect(visitor.referrerDomains()).toBe(none);
  });

  it('reads nothing before it is asked, and each thing once', () => {
    const reads: string[] = [];
    const reading = (name: string, text: string) => () => {
      reads.push(name);
      return text;
    };
    const request: RequestTexts = {
      path: reading('path', '/'),
      query: reading('query', ''),
      userAgent: reading('userAgent', FIREFOX),
      referrer: reading('referrer', ''),
      acceptLanguage: reading('acceptLanguage', ''),
      cookies: reading('cookies', ''),
      address: reading('address', '192.0.2.1'),
    };
    const visitor = new RequestVisitor(request, testVisitorSources());
    expect(reads).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      visitor.browserName();
      visitor.deviceType();
      visitor.country();
      visitor.city();
      visitor.language();
      visitor.referrerDomains();
      visitor.urlPath();
    }
    expect(reads).toEqual(['userAgent', 'address', 'acceptLanguage', 'referrer', 'path']);
  });

  it('has the id of its stored hits', () => {
    const sources = testVisitorSources();
    const visitor = visitorWith({ address: '192.0.2.1', userAgent: FIREFOX });
    expect(visitor.visitorId()).toBe(sources.identify('192.0.2.1', FIREFOX));
  });

  it('draws from the dice it was given', () => {
    const draws = [0.25, 0.75];
    const visitor = visitorWith({}, { random: () => draws.shift() ?? 0 });
    expect([visitor.draw(), visitor.draw()]).toEqual([0.25, 0.75]);
  });
});
