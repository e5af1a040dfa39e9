import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NativeReader } from '../../shared/native/native-reader.js';
import { NativeWriter } from '../../shared/native/native-writer.js';
import { createNumberedTexts, type NumberedTexts } from './numbered-texts.js';

/** The texts of numbers, as batches have them. */
function written(texts: NumberedTexts, numbers: readonly number[]): string[] {
  const writer = new NativeWriter();
  for (const number of numbers) texts.write(number, writer);
  const reader = new NativeReader(writer.written());
  const read = numbers.map(() => reader.text());
  expect(reader.isAtEnd).toBe(true);
  return read;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\n', '\ud800', '__proto__'),
);

it('numbers texts in the order in which they first come, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(anyText), (given) => {
      const texts = createNumberedTexts();
      const distinct = [...new Set(given)];
      for (const text of given) expect(texts.numberOf(text)).toBe(distinct.indexOf(text) + 1);
    }),
  );
});

it('keeps tens of thousands of texts apart', () => {
  const texts = createNumberedTexts();
  const all = Array.from({ length: 20_000 }, (_, i) => `text-${i}`);
  const numbers = all.map(texts.numberOf);
  expect(all.map(texts.numberOf)).toEqual(numbers);
  expect(written(texts, numbers)).toEqual(all);
});

it('writes texts as they are, but for lone surrogates', () => {
  const someTexts = fc.array(fc.oneof(anyText, fc.string({ minLength: 1, maxLength: 300 })));
  fc.assert(
    fc.property(someTexts, (given) => {
      const texts = createNumberedTexts();
      const asUtf8 = given.map((text) => Buffer.from(text).toString());
      expect(written(texts, given.map(texts.numberOf))).toEqual(asUtf8);
    }),
  );
});
