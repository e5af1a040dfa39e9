import { randomInt } from 'node:crypto';
import { processEnvironment } from '../config/process-environment.js';

/** The seed of a run by default. It is fixed, so that a test fails because of a change and not by chance. */
const FIXED_SEED = 1;

/** Returns the seed of random tests: `TEST_SEED`, a number or `random`. A failure names the seed that repeats it. */
function testSeed(): number {
  const { TEST_SEED: given } = processEnvironment();
  return given === 'random' ? randomInt(2 ** 31) : Number(given ?? FIXED_SEED);
}

export const TEST_SEED = testSeed();
