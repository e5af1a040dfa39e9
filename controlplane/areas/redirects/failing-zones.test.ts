import { beforeEach, expect, it, test } from 'vitest';
import { createFailingZones, type FailingZones } from './failing-zones.js';

const SECOND_MS = 1_000;
let nowMs: number;
let zones: FailingZones;

beforeEach(() => {
  nowMs = 0;
  zones = createFailingZones(() => nowMs);
});

it.each(['timedOut', 'serverFailure', 'refused'] as const)(
  'pauses all names of a zone after %s',
  (outcome) => {
    zones.note('a.example.co.uk', outcome);
    expect(zones.pauseLeftMs('b.example.co.uk')).toBe(30 * SECOND_MS);
    expect(zones.pauseLeftMs('other.co.uk')).toBe(0);
    nowMs += 30 * SECOND_MS;
    expect(zones.pauseLeftMs('b.example.co.uk')).toBe(0);
  },
);

it.each(['recordMissing', 'domainMissing', 'unreachable', 'verified'] as const)(
  'does not pause after %s',
  (outcome) => {
    zones.note('a.example.com', outcome);
    expect(zones.pauseLeftMs('a.example.com')).toBe(0);
  },
);

test('pauses double up to an hour, and begin anew after an answer', () => {
  for (const seconds of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
    zones.note('a.example.com', 'timedOut');
    // Of checks that started together, only the first one counts.
    zones.note('b.example.com', 'timedOut');
    nowMs += seconds * SECOND_MS - 1;
    expect(zones.pauseLeftMs('a.example.com')).toBe(1);
    nowMs += 1;
    expect(zones.pauseLeftMs('a.example.com')).toBe(0);
  }
  zones.note('a.example.com', 'recordMissing');
  zones.note('a.example.com', 'timedOut');
  nowMs += 30 * SECOND_MS;
  expect(zones.pauseLeftMs('a.example.com')).toBe(0);
});
