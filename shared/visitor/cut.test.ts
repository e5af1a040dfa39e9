import { describe, expect, it } from 'vitest';
import { cut } from './cut.js';
import { createDeviceDetection } from './device.js';
import { heapGrowthOf } from './heap-growth.fixture.js';

const MIB = 2 ** 20;

/** A hundred different texts of 256 KiB, one after the other. */
function longTexts<T>(of: (text: string) => T): T[] {
  return Array.from({ length: 100 }, (_, n) => of(`${n}`.padEnd(MIB / 4, 'x')));
}

describe('cutting a text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['äöü€', 3, 'äöü'],
    ['ab\ud83d\ude00', 3, 'ab\ud83d'],
    ['', 0, ''],
  ])('makes of %j with %i characters %j', (text, maxLength, expected) => {
    expect(cut(text, maxLength)).toBe(expected);
  });

  it('does not keep the rest in memory', () => {
    expect(heapGrowthOf(() => longTexts((text) => cut(text, 100))).bytes).toBeLessThan(5 * MIB);
  });

  it('lets the detection of devices remember no more than it reads', () => {
    const detect = createDeviceDetection();
    detect('warm');
    const remember = () => {
      longTexts(detect);
      return detect;
    };
    expect(heapGrowthOf(remember).bytes).toBeLessThan(5 * MIB);
  });
});
