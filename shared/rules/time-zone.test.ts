import { expect, it } from 'vitest';
import { isTimeZone, timeZoneKey } from './time-zone.js';

it.each([
  'UTC',
  'utc',
  'Europe/Berlin',
  'europe/berlin',
  'America/Argentina/Buenos_Aires',
  'Etc/GMT+5',
  'EST5EDT',
])('takes %s for a time zone', (name) => {
  expect([isTimeZone(name), isTimeZone(name)]).toEqual([true, true]);
});

it.each([
  '',
  ' UTC',
  'Europe/Nowhere',
  '+01:00',
  '-05',
  'UTC+1',
  '../../etc/passwd',
  `Europe/${'x'.repeat(5_000)}`,
])('takes %j for no time zone', (name) => {
  expect([isTimeZone(name), isTimeZone(name)]).toEqual([false, false]);
});

it('takes every name that Intl lists', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !isTimeZone(name))).toEqual([]);
});

it('has one key for all spellings, and none for UTC', () => {
  expect(timeZoneKey('Europe/Berlin')).toBe(timeZoneKey('EUROPE/berlin'));
  expect([timeZoneKey('UTC'), timeZoneKey('utc'), timeZoneKey(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
