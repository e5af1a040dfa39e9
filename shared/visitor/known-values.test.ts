import { describe, expect, it } from 'vitest';
import { createDeviceDetection, type Device } from './device.js';
import {
  BROWSER_NAMES,
  COUNTRIES,
  DEVICE_BRANDS,
  DEVICE_TYPES,
  type KnownValue,
  LANGUAGES,
  OS_NAMES,
} from './known-values.js';
import { openPlaces } from './place.js';
import { preferredLanguage } from './preferred-language.js';
import { readUserAgents } from './user-agents.fixture.js';

const LISTS: [string, readonly KnownValue[]][] = [
  ['device types', DEVICE_TYPES],
  ['device brands', DEVICE_BRANDS],
  ['browsers', BROWSER_NAMES],
  ['operating systems', OS_NAMES],
  ['countries', COUNTRIES],
  ['languages', LANGUAGES],
];

const valuesOf = (list: readonly KnownValue[]) => list.map(({ value }) => value);

describe.each(LISTS)('the known %s', (_name, list) => {
  it('are distinct, and so are their labels', () => {
    expect(new Set(valuesOf(list)).size).toBe(list.length);
    expect(new Set(list.map(({ label }) => label)).size).toBe(list.length);
  });

  it('all have a label', () => {
    for (const { label } of list) expect(label.trim()).not.toBe('');
  });
});

describe('the known devices', () => {
  const detect = createDeviceDetection();
  const devices = readUserAgents().map(({ agent }) => detect(agent));
  const seen = (fact: keyof Device) => new Set(devices.map((device) => device[fact]));

  it.each([
    ['type', DEVICE_TYPES],
    ['brand', DEVICE_BRANDS],
    ['browserName', BROWSER_NAMES],
    ['osName', OS_NAMES],
  ] as const)('of %s, some real user agent has each value', (fact, list) => {
    expect(valuesOf(list).filter((value) => !seen(fact).has(value))).toEqual([]);
  });

  it('is every type that user agents have', () => {
    const types = [...seen('type')].filter((type) => type !== undefined);
    expect(types.sort()).toEqual(valuesOf(DEVICE_TYPES).sort());
  });
});

describe('the known countries', () => {
  it('are those of ISO 3166-1 and Kosovo', () => {
    expect(COUNTRIES).toHaveLength(250);
    for (const { value, label } of COUNTRIES) {
      expect(value).toMatch(/^[A-Z]{2}$/);
      expect(label).not.toBe(value);
    }
  });

  it.each([
    ['CH', 'Switzerland'],
    ['GB', 'United Kingdom'],
    ['XK', 'Kosovo'],
  ])('have for %s the name %s', (value, label) => {
    expect(COUNTRIES).toContainEqual({ value, label });
  });

  it('are all that the bundled database tells', async () => {
    const places = await openPlaces({ geoipDb: undefined });
    const told = new Set<string>();
    for (let network = 0; network < 2 ** 16; network++) {
      const { country } = places.placeOf(`${network >> 8}.${network & 255}.0.1`);
      if (country !== undefined) told.add(country);
    }
    const known = new Set(valuesOf(COUNTRIES));
    expect(told.size).toBeGreaterThan(100);
    expect([...told].filter((country) => !known.has(country))).toEqual([]);
  });
});

describe('the known languages', () => {
  it.each([...LANGUAGES])('can be asked for: $value, $label', ({ value, label }) => {
    expect(preferredLanguage(`${value},x;q=0.1`)).toBe(value);
    expect(label).not.toBe(value);
  });
});
