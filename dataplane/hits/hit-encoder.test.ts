import { describe, expect, it } from 'vitest';
import { HIT_COLUMNS, type HitRow } from '../../shared/hits/hit-row.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import type { Place } from '../../shared/visitor/place.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { createBotDetection } from './bot-reason.js';
import { createHitEncoder } from './hit-encoder.js';
import { createHitSlot, type HitSlot } from './hit-slot.js';

const HIT: HitSlot = {
  redirectId: 'r1',
  samplingRate: 0.25,
  timestampMs: Date.UTC(2026, 10, 21, 9, 5, 7, 42),
  host: 'old.example',
  path: '/a%2Fb',
  query: 'x=1&y=%20',
  statusCode: 301,
  location: 'https://new.example/a%2Fb',
  method: 'GET',
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  referrer: 'https://www.search.co.uk/?q=1',
  acceptLanguage: 'de-AT,de;q=0.9',
  purpose: '',
  address: '192.0.2.77',
  rulesetVersion: '1763700000.12',
  ruleId: 12,
  variant: 'blue',
  retentionDays: 365,
};

const PLACES: Readonly<Record<string, Place>> = {
  '192.0.2.77': { country: 'AT', region: 'Vienna', city: 'Wien' },
  '198.51.100.1': { country: 'AT', region: undefined, city: undefined },
  '198.51.100.2': { country: 'AT', region: 'x'.repeat(300), city: 'cut within \ud83d' },
};
const NOWHERE: Place = { country: undefined, region: undefined, city: undefined };

function newEncoder() {
  return createHitEncoder({
    producerId: 'producer00000001',
    identify: createVisitorIdentification(Buffer.from('a secret of an installation')),
    detectBot: createBotDetection(),
    detectDevice: createDeviceDetection(),
    places: { placeOf: (address) => PLACES[address] ?? NOWHERE },
    referrerDomainOf: createReferrerDomain(),
  });
}

/** The stored row of a hit, column by column. */
function rowOf(changes: Partial<HitSlot>, ordinal = 1): Record<string, unknown> {
  const line = newEncoder()({ ...HIT, ...changes }, ordinal);
  expect(line.indexOf('\n'), 'one line').toBe(line.length - 1);
  const values: unknown[] = JSON.parse(line);
  expect(values).toHaveLength(HIT_COLUMNS.length);
  return Object.fromEntries(HIT_COLUMNS.map((column, index) => [column, values[index]]));
}

describe('the hit encoder', () => {
  it('writes every column', () => {
    expect(rowOf({}, 17)).toEqual({
      hit_id: 'producer00000001-17',
      redirect_id: 'r1',
      timestamp: '2026-11-21 09:05:07.042',
      host: 'old.example',
      path: '/a%2Fb',
      query: 'x=1&y=%20',
      destination_url: 'https://new.example/a%2Fb',
      status_code: 301,
      method: 'GET',
      sampling_rate: 0.25,
      user_agent: HIT.userAgent,
      referrer: 'https://www.search.co.uk/?q=1',
      language: 'de-AT',
      ip_address: '192.0.2.0',
      visitor_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      is_bot: 0,
      bot_reason: '',
      ruleset_version: '1763700000.12',
      rule_id: 12,
      variant: 'blue',
      country: 'AT',
      region: 'Vienna',
      city: 'Wien',
      device_type: 'mobile',
      device_brand: 'Apple',
      device_model: 'iPhone',
      browser_name: 'Mobile Safari',
      browser_version: '17.5',
      os_name: 'iOS',
      os_version: '17.5',
      referrer_domain: 'search.co.uk',
      referrer_type: 'website',
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      query_names: 'x&y',
      retention_days: 365,
    });
  });

  it.each<[string, Partial<HitSlot>, Partial<HitRow>]>([
    ['the rule', { ruleId: 0, variant: '' }, { rule_id: 0, variant: '' }],
    ['the place', { address: '203.0.113.5' }, { country: '', region: '', city: '' }],
    ['the city', { address: '198.51.100.1' }, { country: 'AT', region: '', city: '' }],
    [
      'the browser',
      { userAgent: 'x' },
      { browser_name: '', browser_version: '', os_name: '', os_version: '' },
    ],
    ['the device', { userAgent: '' }, { device_type: '', device_brand: '', device_model: '' }],
    ['the referrer', { referrer: '' }, { referrer_domain: '' }],
    ['the domain of the referrer', { referrer: 'somewhere' }, { referrer: 'somewhere', referrer_domain: '' }],
  ])('leaves empty what is not known of %s', (_, changes, row) => {
    expect(rowOf(changes)).toMatchObject(row);
  });

  it('writes an empty slot, too', () => {
    expect(newEncoder()(createHitSlot(), 1)).toContain('"1970-01-01 00:00:00.000"');
  });

  it.each([
    [Date.UTC(2026, 0, 1) - 1, '2025-12-31 23:59:59.999'],
    [Date.UTC(2026, 0, 1), '2026-01-01 00:00:00.000'],
    [Date.UTC(2028, 1, 29, 12, 0, 0, 7), '2028-02-29 12:00:00.007'],
  ])('writes the time %d as %s', (timestampMs, timestamp) => {
    expect(rowOf({ timestampMs })).toMatchObject({ timestamp });
  });

  it('writes times of one second and then of an earlier one', () => {
    const encode = newEncoder();
    const timestampOf = (timestampMs: number) => JSON.parse(encode({ ...HIT, timestampMs }, 1))[2];
    expect([1_000, 1_999, 2_000, 999].map(timestampOf)).toEqual([
      '1970-01-01 00:00:01.000',
      '1970-01-01 00:00:01.999',
      '1970-01-01 00:00:02.000',
      '1970-01-01 00:00:00.999',
    ]);
  });

  it.each([
    ['host', 'host', 255],
    ['path', 'path', 2048],
    ['query', 'query', 2048],
    ['location', 'destination_url', 2048],
    ['userAgent', 'user_agent', 2048],
    ['referrer', 'referrer', 2048],
    ['variant', 'variant', 200],
  ] as const)('cuts %s to its bound', (field, column, bound) => {
    expect(rowOf({ [field]: 'x'.repeat(bound) })[column]).toBe('x'.repeat(bound));
    expect(rowOf({ [field]: 'x'.repeat(bound + 1) })[column]).toBe('x'.repeat(bound));
  });

  it('cuts the language to its bound', () => {
    const longTag = `en${'-abcdefgh'.repeat(30)}`;
    expect(rowOf({ acceptLanguage: longTag }).language).toBe(longTag.slice(0, 128));
  });

  it.each([
    ['quotes and backslashes', 'a"b\\c'],
    ['line ends and controls', 'a\r\nb\u0000c\u001f\u007f\u2028'],
    ['all planes', 'äß€😀'],
    ['what looks like an escape', 'a\\ud800b'],
  ])('keeps %s', (_name, text) => {
    expect(rowOf({ path: text, userAgent: text })).toMatchObject({ path: text, user_agent: text });
  });

  it.each([
    ['alone', 'a\ud800b', 'a\ufffdb'],
    ['the wrong way round', '\udc00\ud800', '\ufffd\ufffd'],
    ['beside a pair', '😀\udc00', '😀\ufffd'],
    ['made by cutting a pair', `${'x'.repeat(2047)}😀`, `${'x'.repeat(2047)}\ufffd`],
  ])('replaces surrogates %s, which have no UTF-8 form', (_name, path, stored) => {
    expect(newEncoder()({ ...HIT, path }, 1)).not.toMatch(/\\ud[89a-f]/i);
    expect(rowOf({ path }).path).toBe(stored);
  });

  it('bounds and cleans what is derived from the visitor', () => {
    expect(rowOf({ address: '198.51.100.2' })).toMatchObject({
      region: 'x'.repeat(255),
      city: 'cut within \ufffd',
    });
  });

  it.each([
    [{ method: 'HEAD' }, 'head'],
    [{ method: 'head' }, 'head'],
    [{ purpose: 'prefetch' }, 'prefetch'],
    [{ userAgent: 'Twitterbot/1.0' }, 'preview'],
    [{ userAgent: '' }, 'user-agent'],
  ])('marks %j as a bot', (changes, botReason) => {
    expect(rowOf(changes)).toMatchObject({ is_bot: 1, bot_reason: botReason });
  });

  it('writes the campaign of the query, which decides the type of the referrer', () => {
    const query = 'utm_source=Spring%20Mail&utm_medium=email&utm_campaign=a&utm_term=b&utm_content=c';
    expect(rowOf({ query })).toMatchObject({
      ...{
        utm_source: 'Spring Mail',
        utm_medium: 'email',
        utm_campaign: 'a',
        utm_term: 'b',
        utm_content: 'c',
      },
      referrer_type: 'email',
    });
    expect(rowOf({ query: 'gclid=1' })).toMatchObject({ referrer_type: 'paid', utm_source: '' });
  });

  it.each([
    ['', 'direct'],
    ['https://www.google.at/', 'search'],
    ['somewhere', 'unknown'],
  ])('writes the type of the referrer %j', (referrer, referrerType) => {
    expect(rowOf({ referrer })).toMatchObject({ referrer_type: referrerType });
  });

  it('writes nothing of the full address', () => {
    expect(newEncoder()(HIT, 1)).not.toContain('192.0.2.77');
    expect(newEncoder()({ ...HIT, address: '2001:db8:1:2::77' }, 1)).not.toContain('2::77');
  });
});
