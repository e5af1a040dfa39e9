import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textSearch } from './text-search.js';

describe('the search for a part of texts', () => {
  it.each([
    ['ab', 'xabab', 0, 1],
    ['ab', 'xabab', 2, 3],
    ['ab', 'xabab', 4, -1],
    ['ab', '', 0, -1],
  ])('of %j in %j from %i on finds %i', (part, text, from, place) => {
    expect(textSearch(part)(text, from)).toBe(place);
  });

  it.each([250, 251, 600])('finds what indexOf finds, also for %i characters that nearly fit', (length) => {
    const unit = fc.constantFrom('a', 'b', 'aab', 'é', '😀');
    const nearlyFitting = fc
      .tuple(fc.array(unit, { minLength: 1, maxLength: 3 }), fc.nat(length - 1), unit, fc.boolean())
      .map(([units, at, other, isChanged]) => {
        const periodic = units.join('').repeat(length).slice(0, length);
        return isChanged ? periodic.slice(0, at) + other + periodic.slice(at + other.length) : periodic;
      });
    const parts = fc.array(nearlyFitting, { maxLength: 4 });
    fc.assert(
      fc.property(nearlyFitting, parts, fc.nat(2 * length), (part, others, from) => {
        const text = others.join('b');
        expect(textSearch(part)(text, from)).toBe(text.indexOf(part, from));
        expect(textSearch(part)(text + part, 0)).toBe((text + part).indexOf(part));
      }),
    );
  });
});
