import { describe, expect, it } from 'vitest';
import { type CheckResult, isFailed, type Standing, standingAfter } from './check-result.js';

const MINUTE_MS = 60_000;
const NEW: Standing = { state: 'unknown', failures: 0, failingSince: null };
const result = (members: Partial<CheckResult>): CheckResult => ({
  statusCode: null,
  error: null,
  redirects: [],
  tlsExpiresAt: null,
  responseTimeMs: null,
  ...members,
});
const OK = result({ statusCode: 200 });
const DOWN = result({ statusCode: 503 });

describe('a check as a failure', () => {
  it.each([
    [200, false],
    [204, false],
    [304, false],
    [400, true],
    [401, false],
    [403, false],
    [404, true],
    [405, false],
    [410, true],
    [429, false],
    [500, true],
    [503, true],
  ])('with status %i counts: %s', (statusCode, failed) => {
    expect(isFailed(result({ statusCode }))).toBe(failed);
  });

  it.each(['name_not_resolved', 'timed_out', 'tls_failed', 'certificate_expired', 'redirect_loop'] as const)(
    'counts when it ends with %s',
    (error) => expect(isFailed(result({ error }))).toBe(true),
  );

  it('does not count when no request was allowed', () => {
    expect(isFailed(result({ error: 'address_refused' }))).toBeUndefined();
  });
});

describe('the state of a destination', () => {
  it('is broken after three failures in a row over 15 minutes, never before', () => {
    const first = standingAfter(NEW, DOWN, 0);
    expect(first).toMatchObject({ state: 'unknown', failures: 1, event: null, delaySeconds: 600 });
    const second = standingAfter(first, DOWN, 10 * MINUTE_MS);
    expect(second).toMatchObject({ state: 'unknown', failures: 2, event: null });
    const early = standingAfter(second, DOWN, 11 * MINUTE_MS);
    expect(early).toMatchObject({ state: 'unknown', failures: 3, event: null });
    const third = standingAfter(second, DOWN, 20 * MINUTE_MS);
    expect(third).toMatchObject({ state: 'broken', failures: 3, event: 'broken' });
    expect(standingAfter(third, DOWN, 40 * MINUTE_MS)).toMatchObject({ state: 'broken', event: null });
  });

  it('begins anew after an answer in between', () => {
    const failing = standingAfter(standingAfter(NEW, DOWN, 0), DOWN, 10 * MINUTE_MS);
    const well = standingAfter(failing, OK, 20 * MINUTE_MS);
    expect(well).toMatchObject({ state: 'ok', failures: 0, failingSince: null, event: null });
    expect(standingAfter(well, DOWN, 30 * MINUTE_MS)).toMatchObject({
      state: 'ok',
      failures: 1,
      event: null,
    });
  });

  it('recovers with an answer', () => {
    const broken: Standing = { state: 'broken', failures: 5, failingSince: new Date(0) };
    expect(standingAfter(broken, OK, MINUTE_MS)).toMatchObject({ state: 'ok', event: 'recovered' });
    const refused = standingAfter(broken, result({ error: 'address_refused' }), MINUTE_MS);
    expect(refused).toMatchObject({ state: 'unknown', event: null });
  });

  it('is checked less often the longer it is broken, and never before the server wants', () => {
    const delays = [3, 4, 8, 100].map(
      (failures) =>
        standingAfter({ state: 'broken', failures: failures - 1, failingSince: new Date(0) }, DOWN, 0)
          .delaySeconds,
    );
    expect(delays).toEqual([600, 1_200, 19_200, 21_600]);
    const waits = [30, 3_600, 10 ** 9].map(
      (retryAfterSeconds) => standingAfter(NEW, { ...DOWN, retryAfterSeconds }, 0).delaySeconds,
    );
    expect(waits).toEqual([600, 3_600, 86_400]);
  });
});
