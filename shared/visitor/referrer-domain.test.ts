import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReferrerDomain } from './referrer-domain.js';

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
