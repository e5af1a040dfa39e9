import { describe, expect, it } from 'vitest';
import { fitsWindow, renewalTime } from './renewal-due.js';

const DAY_MS = 86_400_000;
const notBefore = new Date(Date.UTC(2027, 0, 1));
const lasting = (days: number) => ({ notBefore, notAfter: new Date(notBefore.getTime() + days * DAY_MS) });
const dayOf = (time: Date) => (time.getTime() - notBefore.getTime()) / DAY_MS;

describe('a renewal', () => {
  it.each([90, 64, 45, 6])('of a certificate of %i days is due when a third is left, spread out', (days) => {
    expect(dayOf(renewalTime(lasting(days), undefined, 0))).toBeCloseTo((days * 2) / 3);
    expect(dayOf(renewalTime(lasting(days), undefined, 1))).toBeCloseTo(days * (2 / 3 - 1 / 30));
  });

  it('is due at a random moment of the window that the authority suggests', () => {
    const startMs = notBefore.getTime() + 10 * DAY_MS;
    const window = { startMs, endMs: startMs + 2 * DAY_MS, pollSeconds: 60 };
    expect([0, 0.5, 1].map((random) => dayOf(renewalTime(lasting(90), window, random)))).toEqual([
      10, 11, 12,
    ]);
    expect(fitsWindow(new Date(startMs + DAY_MS), window)).toBe(true);
    expect(fitsWindow(new Date(startMs + 3 * DAY_MS), window)).toBe(false);
    expect(fitsWindow(null, window)).toBe(false);
  });
});
