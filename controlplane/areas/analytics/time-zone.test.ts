import { describe, expect, it } from 'vitest';
import { bucketStarts, hoursOf } from './intervals.js';
import { daysOf, iso, parsePeriod, periodBefore } from './period.js';
import { parseTimeZone } from './time-zone.js';

const HOUR_MS = 3_600_000;
const utc = (text: string) => Date.parse(text);
const localText = (zone: string, text: string) => iso(parseTimeZone(zone).localOf(utc(text))).slice(0, 16);

describe('a time zone', () => {
  it.each([
    ['UTC', '2026-03-29T00:59:00Z', '2026-03-29T00:59'],
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00'],
    ['America/New_York', '2026-11-01T05:59:59Z', '2026-11-01T01:59'],
    ['America/New_York', '2026-11-01T06:00:00Z', '2026-11-01T01:00'],
    ['Asia/Kolkata', '2026-07-01T18:30:00Z', '2026-07-02T00:00'],
    ['Asia/Kathmandu', '2026-07-01T18:15:00Z', '2026-07-02T00:00'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30'],
    ['Etc/GMT+5', '2026-07-01T05:00:00Z', '2026-07-01T00:00'],
    ['Pacific/Kiritimati', '2026-07-01T10:00:00Z', '2026-07-02T00:00'],
  ])('%s shows at %s: %s', (zone, time, shown) => {
    expect(localText(zone, time)).toBe(shown);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00:00.000Z', 'a time that clocks skip'],
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', 'the first of two'],
    ['Africa/Cairo', '2026-04-24T00:00', '2026-04-23T22:00:00.000Z', 'a midnight that clocks skip'],
    ['America/Havana', '2026-11-01T00:00', '2026-11-01T04:00:00.000Z', 'the first of two midnights'],
    ['Asia/Kolkata', '2026-07-02T00:00', '2026-07-01T18:30:00.000Z', 'half an hour'],
  ])('%s finds of %s the moment %s: %s', (zone, local, moment) => {
    expect(iso(parseTimeZone(zone).momentOf(utc(`${local}Z`)))).toBe(moment);
  });

  it('leads from every moment to its local time and back, but for hours that come twice', () => {
    for (const name of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
      const zone = parseTimeZone(name);
      for (let timeMs = utc('2026-01-01'); timeMs < utc('2027-01-01'); timeMs += 3.5 * HOUR_MS) {
        const moment = zone.momentOf(zone.localOf(timeMs));
        expect([0, HOUR_MS / 2, HOUR_MS], `${name} ${iso(timeMs)}`).toContain(timeMs - moment);
        expect(zone.localOf(moment)).toBe(zone.localOf(timeMs));
      }
    }
  });

  it('is looked up once, however its name is written, and keeps the name as it was written', () => {
    const names = ['America/Sao_Paulo', 'america/sao_paulo', 'AMERICA/SAO_PAULO'];
    const zones = names.map(parseTimeZone);
    expect(zones.map(({ name }) => name)).toEqual(names);
    expect(new Set(zones.map(({ offsetsOf }) => offsetsOf)).size).toBe(1);
  });

  it.each([
    ['UTC', true],
    ['Etc/GMT', true],
    ['Africa/Abidjan', true],
    ['Europe/London', false],
    ['Africa/Casablanca', false],
    ['Asia/Tokyo', false],
  ])('%s is UTC all the time: %s', (name, isUtc) => {
    expect(parseTimeZone(name).isUtc()).toBe(isUtc);
  });

  it.each(['Europe/Berlim', '', '+02:00', 'CEST2', 'x'.repeat(100), "UTC'; SELECT 1"])(
    'is not called %j, and the error says what is accepted',
    (name) => {
      expect(() => parseTimeZone(name)).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          field: 'timezone',
          message: expect.stringContaining('such as UTC, Europe/Berlin or Asia/Kolkata'),
        }),
      );
    },
  );
});

describe('a period in a time zone', () => {
  const now = new Date('2026-11-03T12:00:00.000Z');
  const newYork = parseTimeZone('America/New_York');

  it.each([
    [{ start: '2026-11-01', end: '2026-11-01' }, '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    [
      { start: '2026-11-01T06:00', end: '2026-11-01T12:00:00Z' },
      '2026-11-01T11:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
    ],
    [{}, '2026-10-05T04:00:00.000Z', '2026-11-03T12:00:00.000Z'],
  ])('is that of its dates there: %j', (query, start, end) => {
    const period = parsePeriod(query, now, newYork);
    expect([iso(period.startMs), iso(period.endMs)]).toEqual([start, end]);
  });

  it('has the days there, and as many days before it', () => {
    const period = parsePeriod({ start: '2026-10-26', end: '2026-11-01' }, now, newYork);
    expect(daysOf(period, newYork)).toBe(7);
    const before = periodBefore(period, newYork);
    expect([iso(before.startMs), iso(before.endMs)]).toEqual([
      '2026-10-19T04:00:00.000Z',
      '2026-10-26T03:59:59.999Z',
    ]);
    expect(daysOf(before, newYork)).toBe(7);
  });
});

describe('buckets in a time zone', () => {
  const starts = (zone: string, start: string, end: string, interval: 'hour' | 'day' | 'week' | 'month') =>
    bucketStarts({ startMs: utc(start), endMs: utc(end) - 1 }, interval, parseTimeZone(zone)).map(iso);

  it('are days of 23, 24 and 25 hours', () => {
    expect(starts('Europe/Berlin', '2026-03-28T23:00Z', '2026-03-30T22:00Z', 'day')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(starts('Europe/Berlin', '2026-10-24T22:00Z', '2026-10-26T23:00Z', 'day')).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
  });

  it('are weeks from Monday on, and months', () => {
    expect(starts('Asia/Tokyo', '2026-11-01T00:00Z', '2026-11-09T00:00Z', 'week')).toEqual([
      '2026-10-25T15:00:00.000Z',
      '2026-11-01T15:00:00.000Z',
      '2026-11-08T15:00:00.000Z',
    ]);
    expect(starts('Asia/Tokyo', '2026-10-31T14:00Z', '2026-10-31T16:00Z', 'month')).toEqual([
      '2026-09-30T15:00:00.000Z',
      '2026-10-31T15:00:00.000Z',
    ]);
  });

  it('are hours of the clock there, cut where clocks change by half an hour', () => {
    expect(starts('Asia/Kolkata', '2026-07-01T00:00Z', '2026-07-01T02:00Z', 'hour')).toEqual([
      '2026-06-30T23:30:00.000Z',
      '2026-07-01T00:30:00.000Z',
      '2026-07-01T01:30:00.000Z',
    ]);
    expect(starts('Australia/Lord_Howe', '2026-04-04T14:00Z', '2026-04-04T16:30Z', 'hour')).toEqual([
      '2026-04-04T14:00:00.000Z',
      '2026-04-04T15:00:00.000Z',
      '2026-04-04T15:30:00.000Z',
    ]);
  });

  it('are as many hours as are counted', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns']) {
      const period = { startMs: utc('2026-03-01T00:20Z'), endMs: utc('2026-11-20T07:40Z') };
      const counted = bucketStarts(period, 'hour', parseTimeZone(zone)).length;
      expect(hoursOf(period, parseTimeZone(zone)), zone).toBe(counted);
    }
  });
});
