import { expect, it } from 'vitest';
import { patternOf, selectiveWords, wordsOf } from './search-text.js';

it.each([
  ['shop', ['shop']],
  ['-7932.example/welcome', ['-7932.', '.example/', '/welcome']],
  ['a-bc', []],
  ['to shop-st', ['to shop-st']],
  ['shop-sto', ['shop-', '-sto']],
  ['100%_off', ['100%', '_off']],
  ['\u{1F600}Größe\u{1F600}', ['\u{1F600}Größe\u{1F600}']],
  ['one two three four five six', ['one ', ' two ', ' three ', ' four ', ' five ']],
])('the words of %j with their neighbours are %j', (search, parts) => {
  expect(wordsOf(search).map(({ part }) => part)).toEqual(parts);
  for (const { word, part } of wordsOf(search)) expect(part).toContain(word);
});

it.each([
  { counts: [1_000, 0, 0], indexed: ['shop', 'welcome'] },
  { counts: [1_000, 80, 200], indexed: ['shop'] },
  { counts: [80, 40, 900], indexed: ['docs', 'shop'] },
  { counts: [300, 400, 900], indexed: [] },
])('the index looks for $indexed if $counts of 1,000 redirects have the words', ({ counts, indexed }) => {
  expect(selectiveWords(wordsOf('docs shop welcome'), counts, 1_000).map(({ word }) => word)).toEqual(
    indexed,
  );
});

it('a pattern takes wildcards as they are', () => {
  expect(patternOf('50%_\\')).toBe('%50\\%\\_\\\\%');
});
