import { randomInt } from 'node:crypto';
import { hashKey } from '../../shared/paths/path-key.js';

/** 32 bits of a text, as an unsigned integer; the same for the same text. */
export type TextHash = (text: string) => number;

/** The start is drawn anew each time: nobody can choose texts that all fall into one place. */
export function createTextHash(): TextHash {
  const start = randomInt(2 ** 32);
  return (text) => hashKey(text, start);
}
