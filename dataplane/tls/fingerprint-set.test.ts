import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FingerprintSet } from './fingerprint-set.js';

const fingerprint = (index: number) => createHash('sha256').update(`${index}`).digest('hex');
const COUNT = 5_000;

it('keeps members and marks while it grows', () => {
  const set = new FingerprintSet();
  for (let index = 0; index < COUNT; index += 1) {
    set.add(fingerprint(index));
    if (index % 3 === 0) expect(set.mark(fingerprint(index))).toBe(true);
    // Adding a member again changes nothing.
    set.add(fingerprint(index));
  }
  for (let index = 0; index < COUNT; index += 1) {
    expect(set.isMarked(fingerprint(index))).toBe(index % 3 === 0);
  }
});

it('marks members only', () => {
  const set = new FingerprintSet();
  for (let index = 0; index < COUNT; index += 1) set.add(fingerprint(index));
  for (let index = COUNT; index < 2 * COUNT; index += 1) {
    expect(set.mark(fingerprint(index))).toBe(false);
    expect(set.isMarked(fingerprint(index))).toBe(false);
  }
});

it('tells fingerprints apart that begin alike', () => {
  const set = new FingerprintSet();
  const [one, other] = [`${'a'.repeat(31)}1${'0'.repeat(32)}`, `${'a'.repeat(31)}2${'0'.repeat(32)}`];
  set.add(one);
  expect(set.mark(other)).toBe(false);
  expect(set.mark(one)).toBe(true);
});
