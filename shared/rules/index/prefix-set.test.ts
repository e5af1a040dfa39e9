import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrefixSet } from './prefix-set.js';

const someText = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\uffff', '😀'), maxLength: 12 });
const somePrefixes = fc.array(someText, { maxLength: 40 });

describe('a set of prefixes', () => {
  it('finds the longest one that a text begins with', () => {
    fc.assert(
      fc.property(somePrefixes, someText, (prefixes, text) => {
        const longest = prefixes
          .filter((prefix) => text.startsWith(prefix))
          .reduce<string | undefined>(
            (best, prefix) => (best === undefined || prefix.length > best.length ? prefix : best),
            undefined,
          );
        expect(new PrefixSet(prefixes).longestOf(text)).toBe(longest);
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows which of them begin with one of them', () => {
    fc.assert(
      fc.property(somePrefixes, someText, (prefixes, text) => {
        const extensions = [...new Set(prefixes)].filter((prefix) => prefix.startsWith(text)).sort();
        const expected = prefixes.includes(text) ? extensions : [];
        expect(new PrefixSet(prefixes).extensionsOf(text)).toEqual(expected);
      }),
    );
  });

  it('omits prefixes that begin with more than 15 others', () => {
    const nested = Array.from({ length: 1_000 }, (_, length) => 'a'.repeat(length + 1));
    const prefixes = new PrefixSet([...nested, 'aaab']);
    expect(prefixes.longestOf('a'.repeat(2_000))).toBe('a'.repeat(16));
    expect(prefixes.extensionsOf('a'.repeat(16))).toEqual(['a'.repeat(16)]);
    expect(prefixes.extensionsOf('a'.repeat(17))).toEqual([]);
    expect(prefixes.longestOf('aaabc')).toBe('aaab');
  });
});
