import { expect, it } from 'vitest';
import { murmur3 } from './murmur3.js';

it.each([
  { bytes: [], seed: 0, expected: 0 },
  { bytes: [], seed: 1, expected: 0x514e28b7 },
  { bytes: [], seed: 0xffffffff, expected: 0x81f16f39 },
  { bytes: [0x00], seed: 0, expected: 0x514e28b7 },
  { bytes: [0x00, 0x00], seed: 0, expected: 0x30f4c306 },
  { bytes: [0x00, 0x00, 0x00], seed: 0, expected: 0x85f0b427 },
  { bytes: [0x00, 0x00, 0x00, 0x00], seed: 0, expected: 0x2362f9de },
  { bytes: [0x21], seed: 0, expected: 0x72661cf4 },
  { bytes: [0x21, 0x43], seed: 0, expected: 0xa0f7b07a },
  { bytes: [0x21, 0x43, 0x65], seed: 0, expected: 0x7e4a8634 },
  { bytes: [0x21, 0x43, 0x65, 0x87], seed: 0, expected: 0xf55b516b },
  { bytes: [0x21, 0x43, 0x65, 0x87], seed: 0x5082edee, expected: 0x2362f9de },
  { bytes: [0xff, 0xff, 0xff, 0xff], seed: 0, expected: 0x76293b50 },
])('$bytes with seed $seed hash to $expected, as in the reference', ({ bytes, seed, expected }) => {
  expect(murmur3(String.fromCharCode(...bytes), seed)).toBe(expected);
});

it('the hash of hashes of all lengths is the one by which SMHasher verifies MurmurHash3_x86_32', () => {
  const hashes = Buffer.alloc(4 * 256);
  let key = '';
  for (let length = 0; length < 256; length += 1) {
    hashes.writeUInt32LE(murmur3(key, 256 - length), 4 * length);
    key += String.fromCharCode(length);
  }
  expect(murmur3(hashes.toString('latin1'), 0)).toBe(0xb0f57ee3);
});
