import { randomBytes } from 'node:crypto';

// Crockford's base 32 without the letters that are read as digits; in lower case.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 16;

/** A random identifier of 16 characters (80 bits): not guessable, short in URLs, rows and memory. */
export function newId(): string {
  let id = '';
  for (const byte of randomBytes(ID_LENGTH)) id += ALPHABET[byte & 31];
  return id;
}
