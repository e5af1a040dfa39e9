import { murmur3 } from './murmur3.js';

const BEYOND_ASCII = /[\u0080-\uffff]/;
const HASHES = 2 ** 32;

/**
 * Returns a number over 0 and below 1 that depends only on the arguments: MurmurHash3 of the text's UTF-8 bytes, in
 * the middle of its share of the interval.
 *
 * @param seed unsigned, 32 bits
 */
export function drawOf(visitorId: string, seed: number): number {
  return (hashOf(visitorId, seed) + 0.5) / HASHES;
}

/** Hashes a rule's id (decimal digits), so that draws for one rule are independent of draws for another. */
export function seedOfRule(ruleId: number): number {
  return hashOf(String(ruleId), 0);
}

/** Hashes a variant's name, seeded by its rule, so that draws for one variant are independent of draws for another. */
export function seedOfVariant(ruleId: number, name: string): number {
  return hashOf(name, seedOfRule(ruleId));
}

function hashOf(text: string, seed: number): number {
  return murmur3(BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text, seed);
}
