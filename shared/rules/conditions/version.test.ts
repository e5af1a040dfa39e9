import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalVersion, compareVersions, isOrderedVersion } from './version.js';

it.each([
  ['1', '2', -1],
  ['2', '10', -1],
  ['9.10', '9.9', 1],
  ['10.15.7', '10.15', 1],
  ['10.0.0', '10', 0],
  ['017.01', '17.1', 0],
  ['0', '0.0.1', -1],
  ['99999999999999999999', '99999999999999999998', 1],
  ['1.99999999999999999998', '1.99999999999999999999', -1],
])('orders %s and %s as %i', (left, right, order) => {
  expect(Math.sign(compareVersions(left, right))).toBe(order);
  expect(Math.sign(compareVersions(right, left))).toBe(0 - order);
});

it('orders any versions as their segments are ordered as numbers', () => {
  const segments = fc.array(fc.oneof(fc.nat(3), fc.nat()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(segments, segments, (left, right) => {
      const places = [0, 1, 2, 3];
      const differing = places.find((place) => (left[place] ?? 0) !== (right[place] ?? 0)) ?? 0;
      const expected = Math.sign((left[differing] ?? 0) - (right[differing] ?? 0));
      expect(Math.sign(compareVersions(left.join('.'), right.join('.')))).toBe(expected);
    }),
  );
});

it.each([
  ['17', '17'],
  ['17.0', '17'],
  ['17.0.00', '17'],
  ['017.01', '17.1'],
  ['10.0.5', '10.0.5'],
  ['100', '100'],
  ['0', '0'],
  ['000.0', '0'],
  ['17.x.0', '17.x.0'],
  ['10.', '10.'],
  ['XP', 'XP'],
])('writes %s as %s', (text, canonical) => {
  expect(canonicalVersion(text)).toBe(canonical);
});

it('writes two versions alike exactly when neither is older', () => {
  const version = fc.array(fc.constantFrom('0', '00', '1', '01', '10'), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(version, version, (left, right) => {
      const [one, other] = [left.join('.'), right.join('.')];
      expect(canonicalVersion(one) === canonicalVersion(other)).toBe(compareVersions(one, other) === 0);
    }),
  );
});

it.each(['', '.', '1.', '.1', '1..2', '-1', '1a', 'XP', ' 1', '1 ', '１'])('gives %j no order', (text) => {
  expect(isOrderedVersion(text)).toBe(false);
});
