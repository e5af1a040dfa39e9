import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NativeFormatError, NativeReader } from './native-reader.js';
import { NativeWriter } from './native-writer.js';

const MOST = Number.MAX_SAFE_INTEGER;

it('a varint holds every count there is', () => {
  const counts = fc.oneof(
    fc.nat(300),
    fc.nat(),
    fc.maxSafeNat(),
    fc.constantFrom(2 ** 32, 2 ** 32 - 1, MOST),
  );
  fc.assert(
    fc.property(fc.array(counts), (numbers) => {
      const writer = new NativeWriter();
      for (const number of numbers) writer.varint(number);
      const reader = new NativeReader(writer.written());
      expect(numbers.map(() => reader.varint())).toEqual(numbers);
      expect(reader.isAtEnd).toBe(true);
    }),
  );
});

it.each([
  ['no end', Buffer.alloc(5, 0x80)],
  ['too many digits', Buffer.alloc(30, 0x80)],
  ['a value that no number has exactly', Buffer.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10)],
])('a varint with %s is refused', (_name, bytes) => {
  expect(() => new NativeReader(bytes).varint()).toThrow(NativeFormatError);
});
