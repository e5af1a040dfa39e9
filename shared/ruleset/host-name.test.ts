import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalizeHost } from './host-name.js';

it.each([
  ['example.com', 'example.com'],
  ['EXAMPLE.com', 'example.com'],
  ['EXAMPLE.com:8080', 'example.com'],
  ['example.com:', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com.:80', 'example.com'],
  ['example.com..', 'example.com.'],
  ['a.B.c.D.example', 'a.b.c.d.example'],
  ['xn--BCHER-kva.example', 'xn--bcher-kva.example'],
  ['localhost:3000', 'localhost'],
  ['192.0.2.7:80', '192.0.2.7'],
  ['[::1]', '[::1]'],
  ['[::1]:80', '[::1]'],
  ['[2001:DB8::1]:443', '[2001:db8::1]'],
  ['', ''],
  ['.', ''],
  [':80', ''],
  ['.:80', ''],
])('turns %j into %j', (hostHeader, host) => {
  expect(normalizeHost(hostHeader)).toBe(host);
});

it.each([
  'example.com:http',
  'example.com:80:x',
  'example.com/a',
  'user@example.com',
  'example.com:80 ',
  '[::1',
])('does not make a known host of %j', (hostHeader) => {
  expect(normalizeHost(hostHeader)).not.toBe('example.com');
});

it('does not take the Kelvin sign for a k', () => {
  expect(normalizeHost('\u212AELVIN.example:80')).not.toBe('kelvin.example');
});

it('gives any text back lower-cased and without a port, and never throws', () => {
  const pieces = fc.constantFrom('a', 'Z', '.', ':', '1', '[', ']', 'é', '\ud800', '\0', 'example.com');
  fc.assert(
    fc.property(fc.string({ unit: pieces }), (hostHeader) => {
      expect(normalizeHost(hostHeader)).not.toMatch(/[A-Z]/);
      expect(normalizeHost(`${hostHeader}x:80`)).toBe(normalizeHost(`${hostHeader}x`));
    }),
  );
});

it('leaves a normal host as it is', () => {
  const labels = fc.array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/), { minLength: 1 });
  fc.assert(
    fc.property(labels, (parts) => {
      expect(normalizeHost(parts.join('.'))).toBe(parts.join('.'));
      expect(normalizeHost(`${parts.join('.').toUpperCase()}.:8080`)).toBe(parts.join('.'));
    }),
  );
});
