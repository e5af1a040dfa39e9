import { expect, test } from 'vitest';
import { deriveInternalToken } from './internal-token.js';

const SECRET = Buffer.from('a secret for tests only');

test('the internal token stays what it is, so that planes of different releases know each other', () => {
  expect(deriveInternalToken(SECRET)).toBe('_vqvrHwjfLvdJHLuQduKG93cAgkPh9Vh8wcYKD_Gnq4');
});

test('the internal token is another one for another secret', () => {
  expect(deriveInternalToken(Buffer.from('another secret for tests'))).not.toBe(deriveInternalToken(SECRET));
});
