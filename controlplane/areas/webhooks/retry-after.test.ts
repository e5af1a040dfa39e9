import { expect, test } from 'vitest';
import { retryAfterSeconds } from './retry-after.js';

const NOW_MS = Date.UTC(2026, 0, 1, 12);

test.each([
  [429, '120', 120],
  [503, '120', 120],
  [503, 'Thu, 01 Jan 2026 12:02:00 GMT', 120],
  [503, 'Thu, 01 Jan 2026 11:00:00 GMT', undefined],
  [503, '0', undefined],
  [503, '-5', undefined],
  [503, 'soon', undefined],
  [503, '', undefined],
  [503, undefined, undefined],
  [500, '120', undefined],
  [302, '120', undefined],
])('%i with Retry-After %j asks for %j seconds', (statusCode, header, seconds) => {
  expect(retryAfterSeconds(statusCode, header, NOW_MS)).toBe(seconds);
});
