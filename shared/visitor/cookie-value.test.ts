import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cookieValue } from './cookie-value.js';

describe('the value of a cookie', () => {
  it.each([
    ['a=1', 'a', '1'],
    ['a=1; b=2', 'b', '2'],
    ['a=1;b=2', 'b', '2'],
    ['a=1;\t b=2 ; c=3', 'b', '2'],
    [' a = 1 ', 'a', '1'],
    ['a=1; a=2', 'a', '1'],
    ['ba=1; ab=2; a=3', 'a', '3'],
    ['a=', 'a', ''],
    ['a="1 2"', 'a', '1 2'],
    ['a=""', 'a', ''],
    ['a="', 'a', '"'],
    ['a="1', 'a', '"1'],
    ['a=b=c', 'a', 'b=c'],
    ['a=%20+', 'a', '%20+'],
    ['a; b=2', 'b', '2'],
    [';;; a=1;;', 'a', '1'],
    ['wm_12=kept; wm_1=mine', 'wm_1', 'mine'],
  ])('in %j of %j is %j', (header, name, value) => {
    expect(cookieValue(header, name)).toBe(value);
  });

  it.each([
    ['', 'a'],
    ['a', 'a'],
    ['a; b=2', 'a'],
    ['A=1', 'a'],
    ['b=a=1', 'a'],
    ['b="; a=1', 'b="; a'],
    ['a b=1', 'a'],
    [';;;', 'a'],
  ])('in %j there is none of %j', (header, name) => {
    expect(cookieValue(header, name)).toBeUndefined();
  });

  it('is what cutting at each semicolon and first equals sign finds', () => {
    const fragment = fc.constantFrom('a', 'b', '=', ';', ' ', '"', '\t', 'wm_1', ',');
    const header = fc.array(fragment, { maxLength: 30 }).map((fragments) => fragments.join(''));
    const name = fc.constantFrom('a', 'b', 'ab', 'wm_1', 'a b');
    fc.assert(
      fc.property(header, name, (text, wanted) => {
        expect(cookieValue(text, wanted)).toBe(byCutting(text, wanted));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([';'.repeat(1_000_000), 'b;'.repeat(500_000), '='.repeat(1_000_000), `${' '.repeat(1_000_000)}=`])(
    'is looked for in time that grows only with the header',
    (header) => {
      const start = performance.now();
      expect(cookieValue(header, 'a')).toBeUndefined();
      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );
});

function byCutting(header: string, wanted: string): string | undefined {
  for (const pair of header.split(';')) {
    const [name = '', ...rest] = pair.split('=');
    if (rest.length > 0 && name.trim() === wanted) {
      return rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1');
    }
  }
  return undefined;
}
