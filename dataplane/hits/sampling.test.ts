import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../shared/process/seeded-random.fixture.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createTestSink, newRecorder } from './hit-recorder.fixture.js';

const DRAWS = 200_000;
/** Chi-square with one degree of freedom exceeds this once in 10,000 tests; the numbers here are fixed anyway. */
const CRITICAL_VALUE = 15.14;

async function samplerWith(random: () => number) {
  return newRecorder({ sink: createTestSink(), dataDir: await temporaryFolder(), random });
}

describe('sampling', () => {
  it.each([
    [0, false],
    [1, true],
  ])('of %d decides without a draw', async (rate, expected) => {
    const sampler = await samplerWith(() => {
      throw new Error('drawn');
    });
    expect(sampler.shouldRecord(rate)).toBe(expected);
  });

  it.each([
    [0.25, 0.25, false],
    [0.25, 0.2499999, true],
    [0.000001, 0, true],
    [0.999999, 1 - 2 ** -53, false],
  ])('of %d with a draw of %d is %s', async (rate, draw, expected) => {
    const sampler = await samplerWith(() => draw);
    expect(sampler.shouldRecord(rate)).toBe(expected);
  });

  it.each([0.001, 0.05, 0.1, 0.25, 0.5, 0.75, 0.99])('of %d takes that share', async (rate) => {
    const sampler = await samplerWith(seededRandom(rate * 1000));
    let taken = 0;
    for (let draw = 0; draw < DRAWS; draw += 1) if (sampler.shouldRecord(rate)) taken += 1;
    const expected = DRAWS * rate;
    const chiSquare = (taken - expected) ** 2 / expected + (taken - expected) ** 2 / (DRAWS - expected);
    expect(chiSquare).toBeLessThan(CRITICAL_VALUE);
  });
});
