import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LocalTimes } from './local-times.js';
import { timeZoneKey } from './time-zone.js';

afterEach(() => vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const at = (instant: string) => Date.parse(instant);

/** What clocks of zones show before and after they are changed, and for some time in which they are not. */
const CLOCKS: readonly (readonly [zone: string, instant: string, hour: number, weekday: number])[] = [
  ['Europe/Berlin', '2026-03-29T00:59:59.999Z', 1, 0],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 3, 0],
  ['Europe/Berlin', '2026-10-25T00:00:00Z', 2, 0],
  ['Europe/Berlin', '2026-10-25T00:59:59.999Z', 2, 0],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 2, 0],
  ['Europe/Berlin', '2026-10-25T02:00:00Z', 3, 0],
  ['Europe/Berlin', '2026-03-28T22:59:59.999Z', 23, 6],
  ['Europe/Berlin', '2026-03-28T23:00:00Z', 0, 0],
  ['America/New_York', '2026-03-08T06:59:59.999Z', 1, 0],
  ['America/New_York', '2026-03-08T07:00:00Z', 3, 0],
  ['America/New_York', '2026-11-01T05:59:59.999Z', 1, 0],
  ['America/New_York', '2026-11-01T06:00:00Z', 1, 0],
  ['America/New_York', '2026-11-01T07:00:00Z', 2, 0],
  ['America/New_York', '2026-07-04T03:59:59.999Z', 23, 5],
  ['America/New_York', '2026-07-04T04:00:00Z', 0, 6],
  // Half an hour: from 01:59 to 02:30, and from 01:59 back to 01:30.
  ['Australia/Lord_Howe', '2026-10-03T15:29:59.999Z', 1, 0],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', 2, 0],
  ['Australia/Lord_Howe', '2026-10-03T15:59:59.999Z', 2, 0],
  ['Australia/Lord_Howe', '2026-10-03T16:00:00Z', 3, 0],
  ['Australia/Lord_Howe', '2026-04-04T14:59:59.999Z', 1, 0],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 1, 0],
  ['Australia/Lord_Howe', '2026-04-04T15:29:59.999Z', 1, 0],
  ['Australia/Lord_Howe', '2026-04-04T15:30:00Z', 2, 0],
  ['Asia/Kathmandu', '2026-03-29T18:14:59.999Z', 23, 0],
  ['Asia/Kathmandu', '2026-03-29T18:15:00Z', 0, 1],
  ['Asia/Kathmandu', '2026-10-25T05:15:00Z', 11, 0],
  ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', 0, 5],
  ['Africa/Monrovia', '1971-06-01T00:44:29Z', 23, 1],
  ['Africa/Monrovia', '1971-06-01T00:44:30Z', 0, 2],
  ['America/Los_Angeles', '1970-01-01T00:00:00Z', 16, 3],
  ['UTC', '2026-03-29T01:00:00Z', 1, 0],
  ['utc', '1969-12-31T23:59:59.999Z', 23, 3],
];

describe('the clock of a time zone', () => {
  it.each(CLOCKS)('in %s shows at %s hour %d of weekday %d', (zone, instant, hour, weekday) => {
    const [key, timeMs] = [timeZoneKey(zone), at(instant)];
    const times = new LocalTimes();
    expect([times.hourOfDay(timeMs, key), times.dayOfWeek(timeMs, key)]).toEqual([hour, weekday]);
  });

  it.each([...new Set(CLOCKS.map(([zone]) => zone))])(
    'in %s goes through the year as Intl has it, and back again',
    (zone) => {
      const times = new LocalTimes();
      const key = timeZoneKey(zone);
      const expected = intlClock(zone);
      const steps = Array.from(
        { length: 366 * 6 },
        (_, step) => at('2026-01-01T00:00:00Z') + step * 14_399_999,
      );
      for (const timeMs of [...steps, ...steps.toReversed()]) {
        const read = [times.hourOfDay(timeMs, key), times.dayOfWeek(timeMs, key)];
        if (`${read}` !== `${expected(timeMs)}`) expect(read, `${timeMs}`).toEqual(expected(timeMs));
      }
    },
  );

  it.each([
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/New_York', '2026-03-08T07:00:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['Africa/Casablanca', '2026-02-15T02:00:00Z'],
  ])('in %s changes at %s sharp, whenever it was read last', (zone, instant) => {
    const changeMs = at(instant);
    const key = timeZoneKey(zone);
    const expected = intlClock(zone);
    for (const lastReadMs of [1, 1_000, 3_600_000, 6 * 3_600_000, DAY_MS - 1, DAY_MS + 1]) {
      const times = new LocalTimes();
      for (const offsetMs of [-lastReadMs, -1, 0, 1, 1_800_000, 3_599_999, 3_600_000]) {
        const timeMs = changeMs + offsetMs;
        const read = [times.hourOfDay(timeMs, key), times.dayOfWeek(timeMs, key)];
        expect(read, `${lastReadMs} before, ${offsetMs}`).toEqual(expected(timeMs));
      }
    }
  });

  it('agrees with Intl for a sequence of any times and zones', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const instant = fc.integer({ min: at('1970-01-01'), max: at('2060-01-01') });
    const nearby = fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS });
    const visits = fc.record({ zone: fc.constantFrom(...zones), instant, offsets: fc.array(nearby) });
    const times = new LocalTimes();
    fc.assert(
      fc.property(visits, ({ zone, instant: firstMs, offsets }) => {
        const expected = intlClock(zone);
        for (const timeMs of [firstMs, ...offsets.map((offset) => firstMs + offset)]) {
          const key = timeZoneKey(zone);
          const read = [times.hourOfDay(timeMs, key), times.dayOfWeek(timeMs, key)];
          expect(read, `${zone} ${timeMs}`).toEqual(expected(timeMs));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('asks Intl once a day, and not for each visitor', () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const times = new LocalTimes();
    const startMs = at('2026-06-01T12:00:00Z');
    const minutes = 3 * 24 * 60;
    for (let minute = 0; minute < minutes; minute += 1) {
      times.hourOfDay(startMs + minute * 60_000, 'europe/berlin');
      times.dayOfWeek(startMs + minute * 60_000, 'europe/berlin');
    }
    // Each day: now, and four times ahead.
    expect(asked).toHaveBeenCalledTimes(3 * 5);
  });
});

/** Hour and weekday as Intl writes them, which is another way than by the offset. */
function intlClock(timeZone: string): (timeMs: number) => readonly [hour: number, weekday: number] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    hour: 'numeric',
    weekday: 'short',
  });
  return (timeMs) => {
    const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    return [Number(parts.get('hour')), WEEKDAYS.indexOf(parts.get('weekday') ?? '')];
  };
}
