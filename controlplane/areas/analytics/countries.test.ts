import { expect, it } from 'vitest';
import { COUNTRIES } from '../../../shared/visitor/known-values.js';
import { countryCoordinates } from './countries.js';

it.each([
  ['DE', 51.0, 10.4],
  ['FR', 46.5, 2.5],
  ['BR', -10.8, -53.1],
  ['AU', -25.1, 134.3],
  // Both countries extend across the 180th meridian.
  ['RU', 61.6, 97.1],
  ['FJ', -17.8, 178.0],
])('finds %s', (country, latitude, longitude) => {
  const found = countryCoordinates(country);
  expect(found?.latitude).toBeCloseTo(latitude, -0.7);
  expect(found?.longitude).toBeCloseTo(longitude, -0.7);
});

it('knows nearly every country there is, each on the earth', () => {
  const known = COUNTRIES.map(({ value }) => countryCoordinates(value)).filter(
    (found) => found !== undefined,
  );
  expect(known.length).toBeGreaterThan(COUNTRIES.length - 15);
  for (const { latitude, longitude } of known) {
    expect(Math.abs(latitude)).toBeLessThan(90);
    expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
  }
});

it.each(['', 'ZZ', 'de'])('has nothing for %j', (country) => {
  expect(countryCoordinates(country)).toBeUndefined();
});
