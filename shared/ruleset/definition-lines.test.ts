import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_ID_LENGTH } from '../hits/batch-bounds.js';
import { asRedirectDefinition, isRedirectDefinition } from './definition-lines.js';
import { redirectOptions } from './redirect-options.fixture.js';
import type { RedirectOptions } from './redirect-options.js';

const DEFINITION = {
  id: 'rd_1',
  host: 'old.example',
  destination: 'https://new.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
};

it.each([undefined, 0, 30, 65_535])('a redirect may keep its hits for %s days', (retentionDays) => {
  expect(isRedirectDefinition({ ...DEFINITION, retentionDays })).toBe(true);
});

it.each([-1, 0.5, 65_536, Number.NaN, '30', null])(
  'a redirect whose hits are kept for %j days is none',
  (retentionDays) => expect(isRedirectDefinition({ ...DEFINITION, retentionDays })).toBe(false),
);

it.each([undefined, 0, 300, 31_536_000])('caches may keep a redirect for %s seconds', (cacheSeconds) => {
  expect(isRedirectDefinition({ ...DEFINITION, cacheSeconds })).toBe(true);
});

it.each([-1, 0.5, 31_536_001, Number.NaN, '300', null])(
  'a redirect that caches may keep for %j seconds is none',
  (cacheSeconds) => expect(isRedirectDefinition({ ...DEFINITION, cacheSeconds })).toBe(false),
);

it.each([0, 0.25, 1])('a redirect may record %s of its visitors', (samplingRate) => {
  expect(isRedirectDefinition({ ...DEFINITION, samplingRate })).toBe(true);
});

it.each([-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY, null])(
  'a redirect that records %j of its visitors is none',
  (samplingRate) => expect(isRedirectDefinition({ ...DEFINITION, samplingRate })).toBe(false),
);

it.each([undefined, 'full', 'names', 'none'])(
  'a redirect may have the query recording %s',
  (queryRecording) => {
    expect(isRedirectDefinition({ ...DEFINITION, queryRecording })).toBe(true);
  },
);

it.each(['r', 'r'.repeat(MAX_ID_LENGTH)])('a redirect may have the id %j', (id) => {
  expect(isRedirectDefinition({ ...DEFINITION, id })).toBe(true);
});

it.each(['', 'r'.repeat(MAX_ID_LENGTH + 1)])(
  'a redirect whose hits no batch can carry is refused: id %j',
  (id) => {
    expect(() => asRedirectDefinition({ ...DEFINITION, id })).toThrow(
      'the redirect of "old.example" is refused: its id must be a text of 1 to 128 characters',
    );
  },
);

it.each<[string, unknown]>([
  ['id', 7],
  ['destination', undefined],
  ['redirectType', 'moved'],
  ['pathForwarding', 'yes'],
  ['queryForwarding', undefined],
  ['samplingRate', '1'],
  ['cacheSeconds', -1],
  ['retentionDays', -1],
  ['queryRecording', 'all'],
  ['queryRecording', null],
  ['rules', {}],
])('whoever refuses a redirect says of which host, and that it is for its %s', (field, value) => {
  expect(() => asRedirectDefinition({ ...DEFINITION, [field]: value })).toThrow(
    `the redirect of "old.example" is refused: its ${field} must be`,
  );
});

it('a redirect may have every option', () => {
  fc.assert(
    fc.property(redirectOptions, (options) => {
      expect(asRedirectDefinition({ ...DEFINITION, ...options })).toEqual({ ...DEFINITION, ...options });
    }),
  );
});

const FINGERPRINT = 'a'.repeat(64);

it.each<[keyof RedirectOptions, unknown]>([
  ['statusCode', 301],
  ['startsAt', -1],
  ['startsAt', '2026-01-01'],
  ['endsAt', 8.64e15 + 1],
  ['endsAt', null],
  ['afterEnd', { statusCode: 404 }],
  ['afterEnd', { url: 7 }],
  ['afterEnd', null],
  ['responseHeaders', { Location: 'https://evil.example' }],
  ['responseHeaders', { 'cache-control': 'no-store' }],
  ['responseHeaders', { 'X-Robots-Tag': 'noindex\r\nSet-Cookie: a=b' }],
  ['responseHeaders', { 'X-Robots-Tag': 'noindex\n' }],
  ['responseHeaders', { 'X-Robots-Tag': 'a'.repeat(501) }],
  ['responseHeaders', { 'X-Robots-Tag': 1 }],
  ['appendQuery', { '': 'a' }],
  ['appendQuery', { a: 1 }],
  ['appendQuery', { a: 'b'.repeat(501) }],
  ['appendQuery', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, '']))],
  ['gone', false],
  ['httpsMode', 'both'],
  ['hsts', { maxAge: -1, includeSubDomains: true, preload: true }],
  ['hsts', { maxAge: 1, includeSubDomains: true }],
  ['certificate', { fingerprint: FINGERPRINT.toUpperCase(), notAfter: 1 }],
  ['certificate', { fingerprint: `${FINGERPRINT}\n`, notAfter: 1 }],
  ['certificate', { fingerprint: FINGERPRINT }],
])('a redirect is refused for its %s %j', (field, value) => {
  expect(() => asRedirectDefinition({ ...DEFINITION, [field]: value })).toThrow(`its ${field} must be`);
});

it.each([null, 'redirect', {}, { ...DEFINITION, host: 7 }])(
  'what has no host is no redirect: %j',
  (value) => {
    expect(() => asRedirectDefinition(value)).toThrow('a line of it is no redirect');
  },
);

it('the message contains only the beginning of a very long host', () => {
  const host = `${'a'.repeat(300)}.example`;
  expect(() => asRedirectDefinition({ ...DEFINITION, host, id: '' })).toThrow(
    `the redirect of "${'a'.repeat(255)}" is refused`,
  );
});
