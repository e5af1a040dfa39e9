import { describe, expect, it } from 'vitest';
import { compressed, hitRowsIn } from '../../shared/hits/hit-block.fixture.js';
import type { HitRow } from '../../shared/hits/hit-row.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { heapGrowthOf } from '../../shared/visitor/heap-growth.fixture.js';
import type { Place } from '../../shared/visitor/place.js';
import { createReferrerDomain } from '../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import { createBotDetection } from './bot-reason.js';
import { createHitEncoder, type HitEncoder } from './hit-encoder.js';
import { createHitSlot, type HitSlot } from './hit-slot.js';

const SECRET = Buffer.from('a secret of an installation');
const HIT: HitSlot = {
  tally: 1,
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
  queryRecording: 'full',
  draw: 0.4375,
  entryId: 9,
  requestedHost: 'x.old.example',
};

const PLACES: Readonly<Record<string, Place>> = {
  '192.0.2.77': { country: 'AT', region: 'Vienna', city: 'Wien', latitude: 48.25, longitude: 16.5 },
  '198.51.100.1': { country: 'AT', region: undefined, city: undefined },
  '198.51.100.2': { country: 'AT', region: 'x'.repeat(300), city: 'cut within \ud83d' },
};
const NOWHERE: Place = { country: undefined, region: undefined, city: undefined };

function newEncoder() {
  return createHitEncoder({
    producerId: 'producer00000001',
    identify: createVisitorIdentification(SECRET),
    detectBot: createBotDetection(),
    detectDevice: createDeviceDetection(),
    places: { placeOf: (address) => PLACES[address] ?? NOWHERE },
    referrerDomainOf: createReferrerDomain(),
  });
}

/** The block of these hits, as it is before it is compressed. */
function blockOf(encoder: HitEncoder, slots: readonly HitSlot[], firstOrdinal = 1): Uint8Array {
  for (const slot of slots) encoder.add(slot);
  const steps = encoder.finish(firstOrdinal);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function rowsOf(encoder: HitEncoder, slots: readonly HitSlot[], firstOrdinal?: number): HitRow[] {
  return hitRowsIn(compressed(blockOf(encoder, slots, firstOrdinal)));
}

/** The stored row of a hit, column by column. */
function rowOf(changes: Partial<HitSlot>, ordinal?: number): HitRow {
  const [row] = rowsOf(newEncoder(), [{ ...HIT, ...changes }], ordinal);
  return row!;
}

describe('the hit encoder', () => {
  it('writes every column', () => {
    expect(rowOf({}, 17)).toEqual({
      producer_id: 'producer00000001',
      ordinal: 17,
      redirect_id: 'r1',
      timestamp: HIT.timestampMs,
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
      visitor: expect.any(BigInt),
      is_bot: 0,
      bot_reason: '',
      ruleset_version: '1763700000.12',
      rule_id: 12,
      variant: 'blue',
      country: 'AT',
      region: 'Vienna',
      city: 'Wien',
      latitude: 48.25,
      longitude: 16.5,
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
      draw: 0.4375,
      query_recording: 'full',
      entry_id: 9,
      requested_host: 'x.old.example',
    });
  });

  it.each<[string, Partial<HitSlot>, Partial<HitRow>]>([
    ['the rule', { ruleId: 0, variant: '' }, { rule_id: 0, variant: '' }],
    ['the place', { address: '203.0.113.5' }, { country: '', city: '', latitude: 0, longitude: 0 }],
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
    expect(rowsOf(newEncoder(), [createHitSlot()])).toMatchObject([{ timestamp: 0, path: '', rule_id: 0 }]);
  });

  it('takes the language from the ranges that are whole within the first 1,024 characters', () => {
    const many = 'x1,'.repeat(340);
    expect(rowOf({ acceptLanguage: `de;q=0.5,${many}de-AT` }).language).toBe('de');
    expect(rowOf({ acceptLanguage: 'x'.repeat(2_000) }).language).toBe('');
  });

  it('remembers no more of what visitors send than it stores', () => {
    const encoder = newEncoder();
    rowsOf(encoder, [HIT]);
    const encodeLong = () => {
      for (let n = 0; n < 100; n += 1) {
        const long = `${n}`.padEnd(64 * 1_024, 'x');
        encoder.add({ ...HIT, userAgent: long, referrer: long, acceptLanguage: long, query: long });
      }
      return encoder;
    };
    expect(heapGrowthOf(encodeLong).bytes).toBeLessThan(4 * 2 ** 20);
  });

  it('gives the visitor the hash that identification gives', () => {
    const visitorId = createVisitorIdentification(SECRET)(HIT.address, HIT.userAgent);
    expect(rowOf({}).visitor).toBe(BigInt(`0x${visitorId}`));
  });

  it('counts all addresses of an IPv6 /64 as one visitor, and stores no more than the /48', () => {
    const addresses = ['2001:db8:1:2::77', '2001:db8:1:2:a1b2:c3d4:e5f6:789', '2001:db8:1:3::77'];
    const rows = rowsOf(
      newEncoder(),
      addresses.map((address) => ({ ...HIT, address })),
    );
    expect(rows[1]?.visitor).toBe(rows[0]?.visitor);
    expect(rows[2]?.visitor).not.toBe(rows[0]?.visitor);
    expect(rows.map(({ ip_address }) => ip_address)).toEqual(addresses.map(() => '2001:db8:1::'));
  });

  it('tells visitors of one address apart by their user agents, however many they are and in whatever order', () => {
    const identify = createVisitorIdentification(SECRET);
    const encoder = newEncoder();
    const agents = Array.from({ length: 40 }, (_, n) => `Agent/${n}`);
    const slots = [...agents, ...agents, ...agents.toReversed()].map((userAgent) => ({ ...HIT, userAgent }));
    const ids = slots.map(({ address, userAgent }) => BigInt(`0x${identify(address, userAgent)}`));
    expect(rowsOf(encoder, slots).map(({ visitor }) => visitor)).toEqual(ids);
    expect(rowsOf(encoder, slots).map(({ visitor }) => visitor)).toEqual(ids);
  });

  it('tells them apart also when there have been more of them than are remembered', () => {
    const identify = createVisitorIdentification(SECRET);
    const encoder = newEncoder();
    const [addressesEach, agentsEach] = [250, 20];
    const visitorsOf = (network: number) =>
      Array.from({ length: addressesEach * agentsEach }, (_, n) => ({
        ...HIT,
        address: `10.0.${network}.${Math.floor(n / agentsEach)}`,
        userAgent: `Agent/${n % agentsEach}`,
      }));
    // 24,000 of them are beside the latest one of their address.
    for (let network = 0; network < 6; network += 1) blockOf(encoder, visitorsOf(network));
    for (const slots of [visitorsOf(5), visitorsOf(0)]) {
      const ids = slots.map(({ address, userAgent }) => BigInt(`0x${identify(address, userAgent)}`));
      expect(rowsOf(encoder, slots).map(({ visitor }) => visitor)).toEqual(ids);
    }
  });

  it('writes hit by hit what each says, whatever others of the batch and of earlier ones have said', () => {
    const encoder = newEncoder();
    const slots = Array.from(
      { length: 400 },
      (_, n): HitSlot => ({
        ...HIT,
        tally: 1 + (n % 30),
        redirectId: `r${n % 30}`,
        timestampMs: HIT.timestampMs + n,
        host: `${n % 31}.example`,
        path: `/${n % 7}`,
        query: ['', `id=${n}`, 'utm_medium=cpc', `a&b=${n}`][n % 4]!,
        location: `https://new.example/${n}`,
        method: ['get', 'head', 'post'][n % 3]!,
        userAgent: `Agent/${n % 11}`,
        referrer: ['', 'https://www.google.at/', 'https://a.example/'][n % 3]!,
        acceptLanguage: ['de', 'en-US,en'][n % 2]!,
        address: Object.keys(PLACES)[n % 3] ?? '',
        ruleId: n % 2 === 0 ? Number.MAX_SAFE_INTEGER - n : 0,
        variant: ['', 'blue'][n % 2]!,
      }),
    );
    const alone = slots.map((slot, n) => rowsOf(encoder, [slot], n + 1)[0]!);
    expect(rowsOf(encoder, slots)).toEqual(alone);
    expect(rowsOf(encoder, slots.slice(100), 101), 'once more').toEqual(alone.slice(100));
  });

  it('counts rows and bytes from block to block', () => {
    const encoder = newEncoder();
    expect([encoder.rows(), encoder.textBytes()]).toEqual([0, 0]);
    encoder.add({ ...HIT, path: 'x'.repeat(2_000) });
    expect(encoder.rows()).toBe(1);
    expect(encoder.textBytes()).toBeGreaterThan(2_000);
    blockOf(encoder, []);
    expect([encoder.rows(), encoder.textBytes()]).toEqual([0, 0]);
  });

  it.each([
    ['path', (n: number) => `/${n}`],
    ['query', (n: number) => `n=${n}`],
    ['location', (n: number) => `https://new.example/${n}`],
    ['userAgent', (n: number) => `Agent/${n}`],
    ['referrer', (n: number) => `https://${n}.example/`],
    ['method', (n: number) => `METHOD${n}`],
    ['acceptLanguage', (n: number) => `en-${1_000 + n}-a1-b2-c3`],
  ] as const)('counts what is stored of each %s', (field, textOf) => {
    const encoder = newEncoder();
    encoder.add({ ...HIT, path: '', query: '', location: '' });
    const before = encoder.textBytes();
    const texts = Array.from({ length: 50 }, (_, n) => textOf(n));
    for (const text of texts) encoder.add({ ...HIT, path: '', query: '', location: '', [field]: text });
    expect(encoder.textBytes() - before).toBeGreaterThan(texts.join('').length);
  });

  it.each([
    [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 31, 23, 59, 59, 999), true],
    [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1), false],
    [Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 1) - 1, false],
    [Date.UTC(2025, 11, 31), Date.UTC(2026, 11, 31), false],
  ])('that has a hit of %d takes one of %d: %s', (timestampMs, otherMs, takes) => {
    const encoder = newEncoder();
    encoder.add({ ...HIT, timestampMs });
    expect(encoder.takes({ ...HIT, timestampMs: otherMs })).toBe(takes);
    blockOf(encoder, []);
    expect(encoder.takes({ ...HIT, timestampMs: otherMs }), 'in the next block').toBe(true);
  });

  it('names a redirect once in a block, also when it gets another host within', () => {
    const hosts = ['old.example', 'old.example', 'new.example', 'old.example'];
    const block = blockOf(
      newEncoder(),
      hosts.map((host) => ({ ...HIT, redirectId: 'redirect-that-moves', host })),
    );
    expect(hitRowsIn(compressed(block)).map(({ host }) => host)).toEqual(hosts);
    expect(Buffer.from(block).toString('latin1').split('redirect-that-moves')).toHaveLength(2);
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

  it('writes the campaign of the query, which leaves the type of the referrer alone', () => {
    const query = 'utm_source=Spring%20Mail&utm_medium=email&utm_campaign=a&utm_term=b&utm_content=c';
    expect(rowOf({ query })).toMatchObject({
      ...{
        utm_source: 'Spring Mail',
        utm_medium: 'email',
        utm_campaign: 'a',
        utm_term: 'b',
        utm_content: 'c',
      },
      referrer_type: 'website',
    });
    const referrer = 'https://www.google.com/';
    expect(rowOf({ query, referrer })).toMatchObject({ referrer_type: 'search', utm_medium: 'email' });
    expect(rowOf({ query, referrer: '' })).toMatchObject({ referrer_type: 'direct', utm_medium: 'email' });
  });

  it.each([
    ['', 'direct'],
    ['https://www.google.at/', 'search'],
    ['somewhere', 'unknown'],
  ])('writes the type of the referrer %j', (referrer, referrerType) => {
    expect(rowOf({ referrer })).toMatchObject({ referrer_type: referrerType });
  });

  const CAMPAIGN = 'utm_source=Mail&utm_medium=email&gclid=1&token=s3cret';
  const NO_CAMPAIGN = { utm_source: '', utm_medium: '', utm_campaign: '', utm_term: '', utm_content: '' };

  it.each([
    [
      'full',
      {
        query: 'utm_source=Mail&utm_medium=email&gclid=1&token=***',
        destination_url: 'https://new.example/?a=1&token=***#id_token=***',
        referrer: 'https://***@from.example/?q=1&password=***',
        query_names: 'gclid&token&utm_medium&utm_source',
        referrer_type: 'website',
        ...{ ...NO_CAMPAIGN, utm_source: 'Mail', utm_medium: 'email' },
      },
    ],
    [
      'names',
      {
        query: 'utm_source=***&utm_medium=***&gclid=***&token=***',
        destination_url: 'https://new.example/?a=***&token=***#id_token=***',
        referrer: 'https://***@from.example/?q=***&password=***',
        query_names: 'gclid&token&utm_medium&utm_source',
        referrer_type: 'website',
        ...NO_CAMPAIGN,
      },
    ],
    [
      'none',
      {
        query: '',
        destination_url: 'https://new.example/',
        referrer: 'https://***@from.example/',
        query_names: '',
        referrer_type: 'website',
        ...NO_CAMPAIGN,
      },
    ],
  ] as const)('records queries as %s says, and derives nothing from the rest', (queryRecording, row) => {
    const slot: Partial<HitSlot> = {
      query: CAMPAIGN,
      location: 'https://new.example/?a=1&token=s3cret#id_token=s3cret',
      referrer: 'https://user:s3cret@from.example/?q=1&password=s3cret',
      queryRecording,
    };
    expect(rowOf(slot)).toMatchObject({ ...row, referrer_domain: 'from.example', path: '/a%2Fb' });
    expect(Buffer.from(blockOf(newEncoder(), [{ ...HIT, ...slot }])).includes('s3cret')).toBe(false);
  });

  it('records the queries of each hit as its own redirect says', () => {
    const modes = ['full', 'names', 'none', 'full', 'none'] as const;
    const slots = modes.map((queryRecording) => ({ ...HIT, query: 'utm_source=a', queryRecording }));
    const rows = rowsOf(newEncoder(), slots).map(({ query, utm_source }) => [query, utm_source]);
    const expected = { full: ['utm_source=a', 'a'], names: ['utm_source=***', ''], none: ['', ''] };
    expect(rows).toEqual(modes.map((mode) => expected[mode]));
  });

  it('stores no more of masked texts than of others', () => {
    const query = 'token=a&'.repeat(400);
    const url = `https://new.example/?${query}`;
    const row = rowOf({ query, location: url, referrer: url, queryRecording: 'names' });
    for (const text of [row.query, row.destination_url, row.referrer]) {
      expect(text.length).toBe(2048);
      expect(text).not.toContain('=a');
    }
  });

  it('writes nothing of the full address', () => {
    for (const [address, part] of [
      ['192.0.2.77', '192.0.2.77'],
      ['2001:db8:1:2::77', '2::77'],
    ] as const) {
      expect(Buffer.from(blockOf(newEncoder(), [{ ...HIT, address }])).includes(part)).toBe(false);
    }
  });
});
