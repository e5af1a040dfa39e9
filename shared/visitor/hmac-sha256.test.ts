import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHmacSha256 } from './hmac-sha256.js';

it('is the HMAC of a text, whatever the key and the text', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 5_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(keys, texts, (key, parts) => {
      const hmac = createHmacSha256(key);
      for (const text of parts) {
        expect(hmac(text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
      }
    }),
  );
});

it('takes a lone surrogate for U+FFFD, and texts of any length one after the other', () => {
  const key = Buffer.from('a key');
  const hmac = createHmacSha256(key);
  for (const text of ['\ud83d', 'ü'.repeat(10_000), '', 'a']) {
    expect(hmac(text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
  }
});

it('refuses a key that would have to be hashed', () => {
  expect(() => createHmacSha256(new Uint8Array(65))).toThrow('a key has at most 64 bytes');
});
