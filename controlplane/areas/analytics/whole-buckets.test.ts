import { expect, it } from 'vitest';
import { wholeBuckets } from './source.js';

const at = (text: string) => Date.parse(`${text}Z`);

it.each<[string, 'hour' | 'day', string, string, [string, string] | undefined]>([
  [
    'begins and ends with them',
    'day',
    '2026-01-01T00:00',
    '2026-01-03T23:59:59.999',
    ['2026-01-01T00:00', '2026-01-03T23:59:59.999'],
  ],
  [
    'is one of them',
    'hour',
    '2026-01-01T07:00',
    '2026-01-01T07:59:59.999',
    ['2026-01-01T07:00', '2026-01-01T07:59:59.999'],
  ],
  [
    'cuts its first and last',
    'hour',
    '2026-01-01T07:00:00.001',
    '2026-01-01T10:59:59.998',
    ['2026-01-01T08:00', '2026-01-01T09:59:59.999'],
  ],
  ['cuts both it touches', 'day', '2026-01-01T00:00:00.001', '2026-01-02T23:59:59.998', undefined],
  ['lies within one', 'day', '2026-01-01T05:00', '2026-01-01T06:00', undefined],
  [
    'goes over a new year',
    'day',
    '2025-12-31T12:00',
    '2026-01-02T12:00',
    ['2026-01-01T00:00', '2026-01-01T23:59:59.999'],
  ],
  [
    'is longer than they can count',
    'hour',
    '1900-01-01T00:30',
    '2299-12-30T00:30',
    ['1970-01-01T00:00', '2105-12-31T23:59:59.999'],
  ],
  ['is over before they begin', 'day', '1900-01-01T00:00', '1969-12-31T23:59:59.999', undefined],
  ['ends before it starts', 'day', '2026-02-01T00:00', '2026-01-01T00:00', undefined],
])('of a period that %s, those that lie wholly in it (%s)', (_, bucket, start, end, expected) => {
  expect(wholeBuckets({ startMs: at(start), endMs: at(end) }, bucket)).toEqual(
    expected && { startMs: at(expected[0]), endMs: at(expected[1]) },
  );
});
