import { expect, test } from 'vitest';
import { readUrl } from './read-url.js';

test('URLs with characters beyond ASCII are read however often it is called', () => {
  let unread = 0;
  for (let call = 0; call < 100_000; call += 1) {
    if (readUrl('https://www.bücher.example/')?.hostname !== 'www.xn--bcher-kva.example') unread += 1;
  }
  expect(unread).toBe(0);
});

test.each(['', 'example.com', 'https://', 'https://a b/', '/path'])('%j is not read', (text) => {
  expect(readUrl(text)).toBeUndefined();
});
