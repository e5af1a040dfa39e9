import { expect, it } from 'vitest';
import { NativeFormatError } from '../../shared/native/native-reader.js';
import { ordinalsByRedirect } from './hit-names.js';

const read = (texts: readonly string[], rows: readonly number[], firstOrdinal: number) =>
  [...ordinalsByRedirect({ texts, indexes: Uint8Array.from(rows) }, firstOrdinal)].map(
    ([redirect, ordinals]) => [redirect, [...ordinals]],
  );

it('hits are told apart by redirect, each with its ordinal', () => {
  expect(read(['a', 'b', 'c'], [0, 1, 0, 2, 0], 7)).toEqual([
    ['a', [7, 9, 11]],
    ['b', [8]],
    ['c', [10]],
  ]);
});

it('ordinals may be beyond 32 bits', () => {
  const first = 2 ** 52;
  expect(read(['a'], [0, 0], first)).toEqual([['a', [first, first + 1]]]);
});

it('a redirect that no hit has, has no ordinals', () => {
  expect(read(['a', 'b'], [1], 1)).toEqual([
    ['a', []],
    ['b', [1]],
  ]);
});

it('a redirect that is there twice is refused', () => {
  expect(() => read(['a', 'a'], [0, 1], 1)).toThrow(NativeFormatError);
});
