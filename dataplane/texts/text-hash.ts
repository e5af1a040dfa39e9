import { randomInt } from 'node:crypto';

/** 32 bits of a text, as an unsigned integer; the same for the same text. */
export type TextHash = (text: string) => number;

/**
 * FNV-1a (Fowler, Noll and Vo) from a secret start, its bits mixed by the end of MurmurHash3 (Appleby). The start
 * is drawn anew each time: nobody can choose texts that all fall into one place.
 */
export function createTextHash(): TextHash {
  const start = randomInt(2 ** 32);
  return (text) => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
}
