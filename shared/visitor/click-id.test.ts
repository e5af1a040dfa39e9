import { expect, it } from 'vitest';
import { createClickIds } from './click-id.js';

const ids = createClickIds(Buffer.from('a secret for tests only'));
const VISITOR = '00ff12ab34cd56ef';
const TIME_MS = Date.UTC(2026, 2, 15, 10, 20, 30, 456);

it('an id stands for a visitor and a time', () => {
  for (let n = 0; n < 5_000; n += 1) {
    const id = ids.of(VISITOR, TIME_MS + n);
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(ids.read(id)).toEqual({ visitorId: VISITOR, timeMs: TIME_MS + n });
  }
});

it('two ids of one visit differ', () => {
  const made = new Set(Array.from({ length: 200 }, () => ids.of(VISITOR, TIME_MS)));
  expect(made.size).toBeGreaterThan(190);
});

it('processes with the same secret read each other’s ids, others do not', () => {
  const id = ids.of(VISITOR, TIME_MS);
  expect(createClickIds(Buffer.from('a secret for tests only')).read(id)?.visitorId).toBe(VISITOR);
  expect(createClickIds(Buffer.from('another secret')).read(id)?.visitorId).not.toBe(VISITOR);
});

it.each(['', 'short', 'x'.repeat(23), `${'x'.repeat(21)}B`, `${'ä'.repeat(21)}A`, `${'x'.repeat(20)}==`])(
  '"%s" is no id',
  (text) => {
    expect(ids.read(text)).toBeUndefined();
  },
);
