import { expect, it } from 'vitest';
import { plainAnswer } from './redirect-answer.js';

it('redirects with the same time in caches share one answer', () => {
  expect(plainAnswer(301, 86_400)).toBe(plainAnswer(301, 86_400));
  expect(plainAnswer(308, 86_400)).not.toBe(plainAnswer(301, 86_400));
});

it('every time is answered right, also those beyond the answers that are shared', () => {
  for (let seconds = 1; seconds <= 5_000; seconds += 1) {
    for (const statusCode of [301, 308] as const) {
      const { head } = plainAnswer(statusCode, seconds);
      expect(head.startsWith(`${statusCode} `)).toBe(true);
      expect(head).toContain(`\r\nCache-Control: public, max-age=${seconds}\r\n`);
    }
  }
});
