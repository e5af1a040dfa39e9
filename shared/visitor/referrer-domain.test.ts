import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReferrerDomain, createReferrerDomains } from './referrer-domain.js';

it.each([
  ['https://www.google.com/', 'google.com'],
  ['https://www.google.co.uk/search?q=a', 'google.co.uk'],
  ['http://shop.example.com:8080/a/b?c#d', 'example.com'],
  ['HTTPS://WWW.Example.COM', 'example.com'],
  ['https://example.com./path', 'example.com'],
  ['https://user:secret@www.example.com/', 'example.com'],
  ['https://www.bücher.example/', 'xn--bcher-kva.example'],
  ['https://WWW.xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  ['https://someone.github.io/page', 'github.io'],
  ['https://t.co/abc', 't.co'],
  ['https://co.uk/', 'co.uk'],
  ['http://localhost:3000/', 'localhost'],
  ['http://intranet/', 'intranet'],
  ['http://printer.internal.lan/', 'internal.lan'],
  ['http://192.0.2.7:8080/a', '192.0.2.7'],
  ['http://0xc0.0.2.7/', '192.0.2.7'],
  ['http://[2001:DB8::1]:80/', '2001:db8::1'],
  ['https://my_shop.example.com/', 'example.com'],
])('finds in the referrer %s the domain %s', (referrer, domain) => {
  const domainOf = createReferrerDomain();
  expect(domainOf(referrer)).toBe(domain);
  expect(domainOf(referrer)).toBe(domain);
});

it.each([
  '',
  'www.example.com',
  '/path',
  '//example.com/',
  'https://',
  'https://exa mple.com/',
  'https://a..b/%',
  'https://.example.com/',
  'https://./',
  'https://../',
  'http://[::1/',
  'http://999.1.1.1/',
  'android-app://com.example.reader/',
  'about:blank',
  'data:text/html,hello',
  'javascript:alert(1)',
  'file:///etc/hosts',
])('finds none in %j', (referrer) => {
  const domainOf = createReferrerDomain();
  expect(domainOf(referrer)).toBeUndefined();
  expect(domainOf(referrer)).toBeUndefined();
});

it('finds one in a referrer too long to be remembered', () => {
  expect(createReferrerDomain()(`https://www.example.com/${'a'.repeat(10_000)}`)).toBe('example.com');
});

it('gives lower-case ASCII or nothing, whatever comes', () => {
  const domainOf = createReferrerDomain();
  const anything = fc.oneof(
    fc.webUrl(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
  );
  fc.assert(
    fc.property(anything, (referrer) => {
      expect(domainOf(referrer) ?? 'none').toMatch(/^[!-@[-~]+$/);
    }),
  );
});

describe('the domains of a referrer', () => {
  it.each([
    ['https://www.google.com/', ['google.com']],
    ['https://news.ycombinator.com/item?id=1', ['news.ycombinator.com', 'ycombinator.com']],
    ['HTTPS://WWW.News.Example.CO.UK./', ['news.example.co.uk', 'example.co.uk']],
    ['http://a.b.example.com:8080/', ['a.b.example.com', 'b.example.com', 'example.com']],
    ['https://a.www.example.com/', ['a.www.example.com', 'www.example.com', 'example.com']],
    ['https://blog.münchen.de/', ['blog.xn--mnchen-3ya.de', 'xn--mnchen-3ya.de']],
    ['https://someone.github.io/page', ['someone.github.io', 'github.io']],
    ['https://www.www.example.com/', ['example.com']],
    ['https://www.www.com/', ['www.com']],
    ['https://www.com/', ['www.com']],
    ['https://www.co.uk/', ['www.co.uk']],
    ['https://co.uk/', ['co.uk']],
    ['http://localhost:3000/', ['localhost']],
    ['http://printer.internal.lan/', ['printer.internal.lan', 'internal.lan']],
    ['http://192.0.2.7:8080/a', ['192.0.2.7']],
    ['http://[2001:DB8::1]:80/', ['2001:db8::1']],
    ['', []],
    ['www.example.com', []],
    ['android-app://com.example.reader/', []],
    ['https://a..b/', []],
  ])('are of %s %j', (referrer, domains) => {
    const domainsOf = createReferrerDomains();
    expect(domainsOf(referrer)).toEqual(domains);
    expect(domainsOf(referrer)).toBe(domainsOf(referrer));
  });

  it('are its host and the eight nearest to the registrable one, when there are more', () => {
    const domainsOf = createReferrerDomains();
    const host = 'l.k.j.i.h.g.f.e.d.c.b.a.example.com';
    const parents = [
      'g.f.e.d.c.b.a.example.com',
      'f.e.d.c.b.a.example.com',
      'e.d.c.b.a.example.com',
      'd.c.b.a.example.com',
      'c.b.a.example.com',
      'b.a.example.com',
      'a.example.com',
      'example.com',
    ];
    expect(domainsOf(`https://${host}/`)).toEqual([host, ...parents]);
    expect(domainsOf('https://h.g.f.e.d.c.b.a.example.com/')).toEqual([
      'h.g.f.e.d.c.b.a.example.com',
      ...parents,
    ]);
    expect(domainsOf('https://g.f.e.d.c.b.a.example.com/')).toEqual(parents);
  });

  it.each([
    { length: 253, domains: [`${'a.'.repeat(121)}example.com`] },
    { length: 255, domains: [] },
    { length: 20_011, domains: [] },
  ])('include the host up to 253 characters: $length', ({ length, domains }) => {
    const referrer = `https://${'a.'.repeat((length - 11) / 2)}example.com/`;
    const [first, ...others] = createReferrerDomains()(referrer);
    expect([first]).toEqual(domains.length === 0 ? ['example.com'] : domains);
    expect(others).toHaveLength(domains.length === 0 ? 0 : 8);
  });

  it('end in the registrable one and are each a label shorter, whatever comes', () => {
    const [domainOf, domainsOf] = [createReferrerDomain(), createReferrerDomains()];
    const label = fc.constantFrom('www', 'a', 'b-1', 'co', 'uk', 'com', 'ck', 'example', 'github', 'io', 'ü');
    const someHost = fc.array(label, { minLength: 1, maxLength: 14 }).map((labels) => labels.join('.'));
    const anything = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
      someHost.map((host) => `https://${host}/`),
    );
    fc.assert(
      fc.property(anything, (referrer) => {
        const domains = domainsOf(referrer);
        expect(domains.at(-1)).toBe(domainOf(referrer));
        expect(domains.length).toBeLessThanOrEqual(9);
        for (const [place, domain] of domains.slice(1).entries()) {
          const below = domains[place]!;
          if (domains.length === 9 && place === 0) expect(below.endsWith(`.${domain}`)).toBe(true);
          else expect(below.slice(below.indexOf('.') + 1)).toBe(domain);
        }
      }),
    );
  });
});
