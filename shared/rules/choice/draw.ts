import { murmur3 } from './murmur3.js';

const BEYOND_ASCII = /[\u0080-\uffff]/;
const HASHES = 2 ** 32;

/**
 * Returns a number above 0 and below 1 that depends only on the arguments. It is the MurmurHash3 of the text's UTF-8
 * bytes, mapped to the middle of its subinterval.
 *
 * @param seed unsigned, 32 bits
 */
export function drawOf(visitorId: string, seed: number): number {
  return (hashOf(visitorId, seed) + 0.5) / HASHES;
}

/** Hashes a rule's id (decimal digits). Draws for different rules are therefore independent. */
export function seedOfRule(ruleId: number): number {
  return hashOf(String(ruleId), 0);
}

/** Hashes a variant's name, seeded by its rule. Draws for different variants are therefore independent. */
export function seedOfVariant(ruleId: number, name: string): number {
  return hashOf(name, seedOfRule(ruleId));
}

function hashOf(text: string, seed: number): number {
  return murmur3(BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text, seed);
}
