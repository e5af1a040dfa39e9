const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

/**
 * Returns MurmurHash3_x86_32 (Austin Appleby, public domain), an unsigned 32-bit number.
 *
 * @param bytes one character with code 0 to 255 per byte
 * @param seed unsigned, 32 bits
 */
export function murmur3(bytes: string, seed: number): number {
  const tail = bytes.length & ~3;
  let hash = seed | 0;
  for (let at = 0; at < tail; at += 4) {
    hash ^= scramble(littleEndian(bytes, at, 4));
    hash = (Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64) | 0;
  }
  hash ^= scramble(littleEndian(bytes, tail, bytes.length - tail));
  return finish(hash ^ bytes.length);
}

function littleEndian(bytes: string, at: number, count: number): number {
  let word = 0;
  for (let byte = 0; byte < count; byte += 1) word |= bytes.charCodeAt(at + byte) << (8 * byte);
  return word;
}

function scramble(word: number): number {
  return Math.imul(rotateLeft(Math.imul(word, C1), 15), C2);
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Mixes the bits (finalizer): each input bit affects all output bits. */
function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
