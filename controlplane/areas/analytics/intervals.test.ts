import { describe, expect, it } from 'vitest';
import { bucketStarts, type Interval, MAX_BUCKETS } from './intervals.js';
import { UTC } from './time-zone.js';

const starts = (start: string, end: string, interval: Interval) =>
  bucketStarts({ startMs: Date.parse(start), endMs: Date.parse(end) }, interval).map((startMs) =>
    new Date(startMs).toISOString().slice(0, 13),
  );

describe('the buckets of a period', () => {
  it.each<[Interval, string, string, string[]]>([
    [
      'hour',
      '2026-01-01T22:30:00Z',
      '2026-01-02T00:00:00Z',
      ['2026-01-01T22', '2026-01-01T23', '2026-01-02T00'],
    ],
    ['hour', '2026-01-01T22:00:00Z', '2026-01-01T22:59:59.999Z', ['2026-01-01T22']],
    ['day', '2025-12-31T00:00:00Z', '2026-01-01T23:59:59.999Z', ['2025-12-31T00', '2026-01-01T00']],
    [
      'day',
      '2024-02-28T12:00:00Z',
      '2024-03-01T00:00:00Z',
      ['2024-02-28T00', '2024-02-29T00', '2024-03-01T00'],
    ],
    // 29 December 2025 is a Monday.
    [
      'week',
      '2026-01-01T00:00:00Z',
      '2026-01-12T00:00:00Z',
      ['2025-12-29T00', '2026-01-05T00', '2026-01-12T00'],
    ],
    ['week', '2025-12-29T00:00:00Z', '2026-01-04T23:59:59.999Z', ['2025-12-29T00']],
    ['week', '1969-12-28T00:00:00Z', '1970-01-01T00:00:00Z', ['1969-12-22T00', '1969-12-29T00']],
    [
      'month',
      '2025-11-30T00:00:00Z',
      '2026-02-01T00:00:00Z',
      ['2025-11-01T00', '2025-12-01T00', '2026-01-01T00', '2026-02-01T00'],
    ],
  ])('by %s from %s to %s', (interval, start, end, expected) => {
    expect(starts(start, end, interval)).toEqual(expected);
  });

  it('keep to UTC where clocks are changed elsewhere', () => {
    expect(starts('2026-03-29T00:00:00Z', '2026-03-29T23:59:59.999Z', 'hour')).toHaveLength(24);
    expect(starts('2026-10-25T00:00:00Z', '2026-10-25T23:59:59.999Z', 'hour')).toHaveLength(24);
  });

  it('are bounded in number', () => {
    const hour = 3_600_000;
    const most = { startMs: 0, endMs: MAX_BUCKETS * hour - 1 };
    expect(bucketStarts(most, 'hour')).toHaveLength(MAX_BUCKETS);
    expect(() => bucketStarts({ ...most, endMs: MAX_BUCKETS * hour }, 'hour')).toThrow(
      expect.objectContaining({
        field: 'interval',
        message: expect.stringMatching(/more than 25000 .* longer interval/),
      }),
    );
    expect(() => bucketStarts({ ...most, endMs: MAX_BUCKETS * hour }, 'hour', UTC, 'start')).toThrow(
      expect.objectContaining({ field: 'start', message: expect.not.stringContaining('interval or') }),
    );
  });
});
