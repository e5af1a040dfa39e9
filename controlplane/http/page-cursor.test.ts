import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor, timeOfPosition } from './page-cursor.js';

const HOUR_MS = 3_600_000;

it.each([
  { at: '2026-02-03 04:05:06+00', ms: Date.UTC(2026, 1, 3, 4, 5, 6) },
  { at: '2026-02-03 04:05:06.789012+00', ms: Date.UTC(2026, 1, 3, 4, 5, 6, 789) },
  { at: '2026-02-03 04:05:06-05', ms: Date.UTC(2026, 1, 3, 4, 5, 6) + 5 * HOUR_MS },
  { at: '2026-02-03 04:05:06+05:30', ms: Date.UTC(2026, 1, 3, 4, 5, 6) - 5.5 * HOUR_MS },
  { at: 'infinity', ms: Number.POSITIVE_INFINITY },
])('a cursor keeps $at, in any time zone of the server', ({ at, ms }) => {
  expect(decodeCursor(encodeCursor({ at, id: 'a' }))).toEqual({ at, id: 'a' });
  expect(timeOfPosition({ at })).toBe(ms);
});

it.each([
  { at: '2026-02-30 04:05:06+00', id: 'a' },
  { at: '2026-13-01 04:05:06+00', id: 'a' },
  { at: '2026-02-03 25:05:06+00', id: 'a' },
  { at: '0000-02-03 04:05:06+00', id: 'a' },
  { at: '2026-02-03 04:05:06+99', id: 'a' },
  { at: 'yesterday', id: 'a' },
  { at: 'infinity', id: 'a\0' },
])('a cursor that the database would refuse is bad input: $at', (position) => {
  expect(() => decodeCursor(encodeCursor(position))).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', field: 'cursor' }),
  );
});
