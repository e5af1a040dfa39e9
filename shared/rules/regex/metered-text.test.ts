import { expect, it } from 'vitest';
import { MeteredText } from './metered-text.js';

it('finds one text after another, each from where it is told to', () => {
  const part = `${'a'.repeat(100)}b${'a'.repeat(300)}`;
  const text = new MeteredText(`x${part}${part}`, () => false);
  const places = [text.indexOf(part), text.indexOf('b'), text.indexOf(part, 2), text.indexOf(part, 403)];
  expect(places).toEqual([1, 101, 402, -1]);
});
