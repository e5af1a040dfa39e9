import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { daysOf, iso, type PeriodQuery, parsePeriod } from './period.js';

const NOW = new Date('2026-03-15T10:20:30.456Z');

function period(query: PeriodQuery): [string, string] {
  const { startMs, endMs } = parsePeriod(query, NOW);
  return [iso(startMs), iso(endMs)];
}

describe('a period', () => {
  it.each<[string, PeriodQuery, string, string]>([
    ['is the last 30 days by default', {}, '2026-02-14T00:00:00.000Z', '2026-03-15T10:20:30.456Z'],
    [
      'ends now without an end',
      { start: '2026-03-01' },
      '2026-03-01T00:00:00.000Z',
      '2026-03-15T10:20:30.456Z',
    ],
    [
      'covers 30 days without a start',
      { end: '2026-01-31' },
      '2026-01-02T00:00:00.000Z',
      '2026-01-31T23:59:59.999Z',
    ],
    [
      'covers 30 days up to a moment without a start',
      { end: '2026-01-31T12:00:00Z' },
      '2026-01-02T00:00:00.000Z',
      '2026-01-31T12:00:00.000Z',
    ],
    [
      'takes whole days at both ends',
      { start: '2026-01-01', end: '2026-01-01' },
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T23:59:59.999Z',
    ],
    [
      'may be one millisecond long',
      { start: '2026-01-01T00:00:00.001Z', end: '2026-01-01T00:00:00.001Z' },
      '2026-01-01T00:00:00.001Z',
      '2026-01-01T00:00:00.001Z',
    ],
    [
      'may end in the future',
      { start: '2026-03-15', end: '2030-12-31' },
      '2026-03-15T00:00:00.000Z',
      '2030-12-31T23:59:59.999Z',
    ],
    [
      'may cover a leap day',
      { start: '2024-02-29', end: '2024-02-29' },
      '2024-02-29T00:00:00.000Z',
      '2024-02-29T23:59:59.999Z',
    ],
  ])('%s', (_, query, start, end) => {
    expect(period(query)).toEqual([start, end]);
  });

  it.each([
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00.5Z', '2026-01-31T08:00:00.500Z'],
    ['2026-01-31T08:00:00.123456789Z', '2026-01-31T08:00:00.123Z'],
    ['2026-01-31T08:00:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31t08:00:00z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31 08:00:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00+02:00', '2026-01-31T06:00:00.000Z'],
    ['2026-01-31T08:00:00 02:00', '2026-01-31T06:00:00.000Z'],
    ['2026-01-31T08:00:00-0530', '2026-01-31T13:30:00.000Z'],
    ['2026-01-01T00:30:00+01', '2025-12-31T23:30:00.000Z'],
  ])('reads the timestamp %s', (text, expected) => {
    expect(period({ start: '2000-01-01', end: text })[1]).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '20260131',
    '2026-1-31',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-04-31T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T08:60:00Z',
    '2026-01-31T08:00:60Z',
    '2026-01-31T08:00:00+24:00',
    '2026-01-31T8:00:00Z',
    '2026-01-31T08:00:00Zulu',
    '1767225600',
    '1767225600000',
    '1899-12-31',
    '2300-01-01',
    '0000-01-01',
    '99999-01-01',
    '+2026-01-01',
    'Sat, 31 Jan 2026 08:00:00 GMT',
  ])('refuses "%s" at either end and says what is accepted', (text) => {
    for (const field of ['start', 'end'] as const) {
      const failure = failureOf(() => parsePeriod({ [field]: text }, NOW));
      expect(failure).toMatchObject({ code: 'INVALID_REQUEST', status: 400, field });
      expect(failure.message).toContain('2026-01-31T08:00:00Z');
    }
  });

  it.each<[PeriodQuery]>([
    [{ start: '2026-01-02', end: '2026-01-01' }],
    [{ start: '2026-01-01T00:00:00.001Z', end: '2026-01-01T00:00:00.000Z' }],
    [{ start: '2026-03-16' }],
  ])('refuses a start after the end: %o', (query) => {
    expect(failureOf(() => parsePeriod(query, NOW))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'start',
    });
  });

  it.each([
    ['2026-01-01', '2026-01-01', 1],
    ['2026-01-01', '2026-01-30', 30],
    ['2026-01-01T23:59:59.999Z', '2026-01-02T00:00:00Z', 2],
    ['2024-01-01', '2024-12-31', 366],
    ['1969-12-31', '1970-01-01', 2],
  ])('from %s to %s touches %i days', (start, end, days) => {
    expect(daysOf(parsePeriod({ start, end }, NOW))).toBe(days);
  });

  it('touches 30 days by default, at any time of the day', () => {
    for (const time of ['00:00:00.000', '12:00:00.000', '23:59:59.999']) {
      expect(daysOf(parsePeriod({}, new Date(`2026-03-15T${time}Z`)))).toBe(30);
    }
  });
});

function failureOf(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
