import { expect, it } from 'vitest';
import { parseCoreList } from './processor-cores.js';

it.each([
  { text: ' 0,1\n', expected: [0, 1] },
  { text: '0-3,6', expected: [0, 1, 2, 3, 6] },
  { text: '5', expected: [5] },
  { text: '', expected: [] },
])('a list of cores is read: "$text"', ({ text, expected }) => {
  expect(parseCoreList(text)).toEqual(expected);
});
