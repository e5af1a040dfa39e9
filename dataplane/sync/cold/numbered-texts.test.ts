import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNumberedTexts } from './numbered-texts.js';

it('numbers texts in the order in which they first come, whatever is in them', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '"', '\\', '\n', '\ud800', '__proto__'),
  );
  fc.assert(
    fc.property(fc.array(anyText), (given) => {
      const texts = createNumberedTexts();
      const distinct = [...new Set(given)];
      for (const text of given) expect(texts.numberOf(text)).toBe(distinct.indexOf(text) + 1);
      for (const text of distinct) expect(texts.textOf(texts.numberOf(text))).toBe(text);
    }),
  );
});

it('keeps tens of thousands of texts apart', () => {
  const texts = createNumberedTexts();
  const all = Array.from({ length: 20_000 }, (_, i) => `text-${i}`);
  const numbers = all.map(texts.numberOf);
  expect(all.map(texts.numberOf)).toEqual(numbers);
  expect(numbers.map(texts.textOf)).toEqual(all);
});
