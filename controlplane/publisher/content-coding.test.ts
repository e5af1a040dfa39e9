import { expect, test } from 'vitest';
import { chooseCoding } from './content-coding.js';

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['br, gzip', 'gzip'],
  ['gzip;q=0.5, br', 'br'],
  ['gzip;q=0', 'identity'],
  ['*', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['deflate', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.2, gzip;q=0.5', 'gzip'],
  ['identity;q=0', 'identity'],
  ['gzip;q=nonsense', 'identity'],
] as const)('Accept-Encoding %j is answered in %s', (accepted, coding) => {
  expect(chooseCoding(accepted)).toBe(coding);
});
