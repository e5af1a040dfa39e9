import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseConditions } from './parse-rule.js';

/** Distinct patterns. Many of them together take far longer than a turn. */
const patterns = Array.from({ length: 300 }, (_, index) => ({
  attribute: 'user_agent' as const,
  operator: 'regex' as const,
  value: `${index}${'[a-z0-9]{3}\\p{L}'.repeat(30)}`,
}));

test('others get their turn while many patterns are read', async () => {
  let reading = true;
  const conditions = parseConditions(patterns).finally(() => {
    reading = false;
  });
  let turns = 0;
  while (reading) {
    await nextTurn();
    turns += 1;
  }
  expect(await conditions).toEqual(patterns);
  expect(turns).toBeGreaterThan(3);
});

test('a fault behind many patterns is named', async () => {
  const inputs = [...patterns, { attribute: 'country' as const, operator: 'in' as const, value: ['DE', 5] }];
  await expect(parseConditions(inputs)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    field: `conditions.${patterns.length}.value.1`,
  });
});
