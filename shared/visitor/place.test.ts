import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/environment.js';
import { openPlaces, type Places } from './place.js';
import { placesDatabase } from './places-database.fixture.js';

const NOWHERE = { country: undefined, region: undefined, city: undefined };

const RECORDS = {
  '192.0.2.0/25': {
    country: { iso_code: 'CH', names: { en: 'Switzerland' } },
    subdivisions: [
      { iso_code: 'ZH', names: { de: 'Kanton Zürich', en: 'Zurich' } },
      { names: { en: 'Horgen District' } },
    ],
    city: { geoname_id: 2657896, names: { de: 'Zürich', en: 'Zürich' } },
    location: { latitude: 47.375, longitude: 8.5, accuracy_radius: 5 },
  },
  '192.0.2.128/25': { country: { iso_code: 'de' }, subdivisions: [], city: { names: { de: 'Köln' } } },
  '198.51.100.0/24': {
    country: 'FR',
    subdivisions: 'none',
    city: { names: [] },
    location: { latitude: 46.25, longitude: 2.25 },
  },
  '203.0.113.0/24': { registered_country: { iso_code: 'SE' } },
};
const RECORDS_OF_BOTH = { ...RECORDS, '2001:db8::/32': { country: { iso_code: 'JP' } } };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-places-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileWith(name: string, content: Uint8Array | string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

async function placesIn(content: Uint8Array): Promise<Places> {
  return openPlaces({ geoipDb: await fileWith('places.mmdb', content) });
}

describe('the bundled database', () => {
  let places: Places;
  beforeAll(async () => {
    places = await openPlaces({ geoipDb: undefined });
  });

  it.each([
    ['8.8.8.8', 'US'],
    ['193.0.6.139', 'NL'],
    ['133.11.0.1', 'JP'],
    ['200.160.2.3', 'BR'],
    ['2001:4860:4860::8888', 'US'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
  ])('knows the country of %s, and no more', (address, country) => {
    expect(places.placeOf(address)).toEqual({ country, region: undefined, city: undefined });
  });

  it.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.1', '127.255.255.255'],
    ['169.254.0.1', '169.254.169.254'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.1', '255.255.255.255'],
    ['::', '::1'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::1', 'ff02::1'],
  ])('has no place for %s and %s, which are nobody’s', (first, last) => {
    expect(places.placeOf(first)).toEqual(NOWHERE);
    expect(places.placeOf(last)).toEqual(NOWHERE);
  });

  it.each([
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '203.0.114.0',
    '223.255.254.1',
    '2001:db7:ffff::1',
    '2400::1',
  ])('is asked for %s, beside them', (address) => {
    expect(places.placeOf(address).country).toMatch(/^[A-Z]{2}$/);
  });

  it.each(['', 'unknown', '8.8.8', '8.8.8.8.8', '8.8.8.8:53', '[::1]', '256.1.1.1', 'x'.repeat(10_000)])(
    'does not take %s for an address',
    (address) => {
      expect(places.placeOf(address)).toEqual(NOWHERE);
    },
  );

  it('gives every address two upper-case letters or nothing, the same each time', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const { country } = places.placeOf(address);
        expect(country ?? 'XX').toMatch(/^[A-Z]{2}$/);
        expect(places.placeOf(address).country).toBe(country);
      }),
    );
  });
});

describe('a city database', () => {
  it('may hold networks of the operator’s own', async () => {
    const places = await placesIn(placesDatabase({ '10.0.0.0/8': { city: { names: { en: 'Office' } } } }));
    expect(places.placeOf('10.1.2.3')).toEqual({ ...NOWHERE, city: 'Office' });
  });

  it.each([
    ['192.0.2.1', { country: 'CH', region: 'Zurich', city: 'Zürich', latitude: 47.375, longitude: 8.5 }],
    ['192.0.2.200', { country: 'DE', region: undefined, city: undefined }],
    ['198.51.100.1', NOWHERE],
    ['203.0.113.1', NOWHERE],
    ['2001:db8::1', { country: 'JP', region: undefined, city: undefined }],
    ['192.0.3.1', NOWHERE],
    ['2001:db9::1', NOWHERE],
  ])('tells of %s what it holds', async (address, place) => {
    expect((await placesIn(placesDatabase(RECORDS_OF_BOTH))).placeOf(address)).toEqual(place);
  });

  it.each([
    ['a latitude alone', { latitude: 1.5 }],
    ['a place beyond the pole', { latitude: 90.5, longitude: 0 }],
    ['a place beyond the date line', { latitude: 0, longitude: -180.5 }],
    ['texts', { latitude: '1', longitude: '2' }],
    ['no location', 'none'],
  ])('that has %s for a city does without its coordinates', async (_what, location) => {
    const places = await placesIn(
      placesDatabase({ '192.0.2.0/24': { city: { names: { en: 'Atlantis' } }, location } }),
    );
    expect(places.placeOf('192.0.2.1')).toEqual({ ...NOWHERE, city: 'Atlantis' });
  });

  it('of IPv4 alone knows nothing of IPv6', async () => {
    const places = await placesIn(placesDatabase(RECORDS, 4));
    expect(places.placeOf('192.0.2.1').city).toBe('Zürich');
    // Its first 32 bits are those of 192.0.2.1.
    expect(places.placeOf('c000:201::')).toEqual(NOWHERE);
  });

  it('that is damaged inside does without the records concerned', async () => {
    const database = placesDatabase(RECORDS_OF_BOTH);
    const place = database.indexOf('Switzerland');
    // A pointer beyond the end of the file in place of a text.
    database.fill(0x3f, place - 1, place + 8);
    const places = await placesIn(database);
    expect(places.placeOf('192.0.2.1')).toEqual(NOWHERE);
    expect(places.placeOf('192.0.2.200').country).toBe('DE');
  });
});

describe('GEOIP_DB', () => {
  const database = placesDatabase(RECORDS_OF_BOTH);

  it.each([
    ['an empty file', ''],
    ['a text', 'network,country\n192.0.2.0/24,CH\n'.repeat(100)],
    ['a compressed database', gzipSync(database)],
    ['a database that ends early', database.subarray(0, database.length / 2)],
    ['zeros', Buffer.alloc(4096)],
  ])('does not take %s', async (_what, content) => {
    const file = await fileWith('wrong', content);
    const opening = openPlaces({ geoipDb: file });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(/^GEOIP_DB takes .* city database .*MaxMind/);
    await expect(opening).rejects.toThrow(file);
  });

  it.each(['not-there.mmdb', '.'])('does not take a path that leads to no file: %s', async (name) => {
    await expect(openPlaces({ geoipDb: path.join(folder, name) })).rejects.toThrow(ConfigError);
  });
});
