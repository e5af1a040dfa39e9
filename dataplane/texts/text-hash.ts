import { randomInt } from 'node:crypto';
import { hashKey } from '../../shared/paths/path-key.js';

/** Returns an unsigned 32-bit hash; the same for the same text. */
export type TextHash = (text: string) => number;

/** The seed is random, so attackers cannot choose texts that collide. */
export function createTextHash(): TextHash {
  const start = randomInt(2 ** 32);
  return (text) => hashKey(text, start);
}
