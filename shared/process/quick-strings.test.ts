import { expect, it } from 'vitest';
import { areStringsQuick } from './quick-strings.fixture.js';
import { keepStringsQuick } from './quick-strings.js';

it('makes texts quick again that ioredis has made slow, and keeps them so', async () => {
  await import('ioredis');
  expect(areStringsQuick()).toBe(false);
  keepStringsQuick();
  expect(areStringsQuick()).toBe(true);
  await import('../rules/regex/metered-text.js');
  expect(areStringsQuick()).toBe(true);
});
