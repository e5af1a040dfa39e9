import { describe, expect, it } from 'vitest';
import { LinearPattern } from './regex/linear-pattern.js';
import { scatteredText } from './regex/scattered-text.fixture.js';
import { createRegexGuard, type RegexAllowance } from './regex-guard.js';

/** The engine has no room for all the states that this text leads it into. */
const SLOW = '([ab]{0,30}a){10}[c-e]';
const TEXT = `${scatteredText(3_000)}c`;

/** An ordinary pattern, and a text for which it needs no more than a few states. */
const ORDINARY = 'x(1|2)$';
const LONG_TEXT = `${'x'.repeat(400)}1`;

/** A guard with a clock that goes 4 ms ahead at each look, so that a slow search seems to take 12 ms. */
function setUp() {
  const clock = { ms: 0 };
  const nowMs = () => {
    clock.ms += 4;
    return clock.ms;
  };
  const guard = createRegexGuard({ nowMs });
  const slow = new LinearPattern(SLOW);
  const ordinary = new LinearPattern(ORDINARY);
  for (const pattern of [slow, ordinary]) guard.allowance().prepare(pattern);
  const finds = (allowance: RegexAllowance) => allowance.test(ordinary, LONG_TEXT);
  return { clock, guard, slow, ordinary, finds };
}

/** Searches slowly until ordinary patterns are found no more; how often that was. */
function useUp({ slow, finds }: ReturnType<typeof setUp>, allowance: RegexAllowance): number {
  let searches = 0;
  while (finds(allowance) && searches < 1_000) {
    allowance.test(slow, TEXT);
    searches += 1;
  }
  return searches;
}

describe('the allowance of a redirect', () => {
  it('lasts for some slow searches; then patterns are found nowhere, and that is counted', () => {
    const parts = setUp();
    const allowance = parts.guard.allowance();
    expect(useUp(parts, allowance)).toBeLessThan(10);
    const { skipped } = parts.guard;
    expect(parts.finds(allowance)).toBe(false);
    expect(parts.guard.skipped).toBe(skipped + 1);
  });

  it('is refilled at 10 ms a second, up to 100 ms', () => {
    const parts = setUp();
    const allowance = parts.guard.allowance();
    const whenFull = useUp(parts, allowance);
    parts.clock.ms += 3_000;
    expect(parts.finds(allowance)).toBe(true);
    expect(useUp(parts, allowance)).toBeLessThan(whenFull);
    parts.clock.ms += 3_600_000;
    expect(useUp(parts, allowance)).toBe(whenFull);
  });

  it('is the same one when the redirect is compiled anew', () => {
    const parts = setUp();
    const anew = (redirectId: string) => parts.guard.ofRedirect(redirectId).allowance();
    useUp(parts, anew('rd_1'));
    expect(parts.finds(anew('rd_1'))).toBe(false);
    expect(parts.finds(anew('rd_2'))).toBe(true);
  });

  it('is not drawn on by other redirects', () => {
    const parts = setUp();
    useUp(parts, parts.guard.allowance());
    expect(parts.finds(parts.guard.allowance())).toBe(true);
  });

  it('does not hold back patterns and texts that cannot but be quick', () => {
    const parts = setUp();
    const allowance = parts.guard.allowance();
    useUp(parts, allowance);
    expect(allowance.test(parts.ordinary, 'xx1')).toBe(true);
  });

  it('is not charged for ordinary searches, at any time of the clock', () => {
    const { guard, finds } = setUp();
    const allowance = guard.allowance();
    for (let search = 0; search < 100_000; search++) finds(allowance);
    expect(guard.skipped).toBe(0);
  });
});

it('keeps time for redirects that have not taken much when others take too much together', () => {
  const parts = setUp();
  const searches = Array.from({ length: 8 }, () => useUp(parts, parts.guard.allowance()));
  expect(searches.at(-1)).toBeLessThan(searches[0] ?? 0);
  expect(searches.at(-1)).toBeGreaterThan(0);
  expect(parts.finds(parts.guard.allowance())).toBe(true);
});

describe('a slow search', () => {
  it('is broken off after 10 ms, and counted', () => {
    const { clock, guard, slow } = setUp();
    const startedAtMs = clock.ms;
    expect(guard.allowance().test(slow, TEXT)).toBe(false);
    expect(clock.ms - startedAtMs).toBeLessThanOrEqual(24);
    expect(guard.skipped).toBe(1);
  });

  it('comes to its end where there is time', () => {
    const guard = createRegexGuard({ nowMs: () => 0 });
    expect(guard.allowance().test(new LinearPattern(SLOW), `${scatteredText(300)}${'a'.repeat(300)}c`)).toBe(
      true,
    );
  });

  it('takes a hundred visitors together no more than the allowance', () => {
    const guard = createRegexGuard();
    const allowance = guard.allowance();
    const slow = new LinearPattern(SLOW);
    const startedAtMs = performance.now();
    for (let visitor = 0; visitor < 100; visitor++) allowance.test(slow, TEXT);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    expect(guard.skipped).toBe(100);
  });
});

describe('compiling', () => {
  it('tells patterns that do not compile', () => {
    const allowance = createRegexGuard().allowance();
    expect(allowance.prepare(new LinearPattern('a'))).toBe(true);
    expect(allowance.prepare(new LinearPattern('('))).toBe(false);
  });

  it('is put off while too much of it has been done, and made up for later', () => {
    const { clock, guard } = setUp();
    const allowance = guard.allowance();
    const patterns = Array.from({ length: 50 }, (_, at) => new LinearPattern(`${'x'.repeat(500)}$|${at}`));
    for (const pattern of patterns) expect(allowance.prepare(pattern)).toBe(true);
    expect(patterns[10]?.isPrepared).toBe(true);
    const last = patterns.at(-1)!;
    expect(last.isPrepared).toBe(false);
    expect(allowance.test(last, '49')).toBe(false);
    expect(guard.skipped).toBe(1);
    clock.ms += 10_000;
    expect(allowance.test(last, '49')).toBe(true);
  });

  it.each([
    { kind: 'many steps', pattern: (at: number) => `\\pL{900}k${at}` },
    { kind: 'wide classes', pattern: (at: number) => `(?i)${'[\\x{100}-\\x{10ffff}]'.repeat(20)}${at}` },
    { kind: 'many wide classes', pattern: (at: number) => `(?i)(${'\\pL|'.repeat(120)}${at})` },
  ])('of a thousand patterns with $kind takes no more than the allowance', ({ pattern }) => {
    const guard = createRegexGuard();
    const allowance = guard.allowance();
    const patterns = Array.from({ length: 1_000 }, (_, at) => new LinearPattern(pattern(at)));
    for (const one of patterns) allowance.prepare(one);
    for (const one of patterns) allowance.test(one, 'k');
    expect(patterns.filter(({ isPrepared }) => isPrepared).length).toBeLessThan(250);
  });

  it('of many ordinary patterns is not put off', () => {
    const { guard } = setUp();
    const allowance = guard.allowance();
    const patterns = Array.from({ length: 500 }, (_, at) => new LinearPattern(`^/shop/${at}`));
    for (const pattern of patterns) allowance.prepare(pattern);
    expect(patterns.every(({ isPrepared }) => isPrepared)).toBe(true);
  });
});

it('has all patterns forget when they keep more than 64 MiB together, and they still work', () => {
  const guard = createRegexGuard({ nowMs: () => 0 });
  const allowance = guard.allowance();
  const patterns = Array.from({ length: 800 }, (_, at) => new LinearPattern(`a{900}${at}`));
  for (const pattern of patterns) expect(allowance.prepare(pattern)).toBe(true);
  expect(patterns[0]?.isPrepared).toBe(false);
  expect(patterns.at(-1)?.isPrepared).toBe(true);
  expect(patterns.filter(({ isPrepared }) => isPrepared).length).toBeLessThan(500);
  expect(allowance.test(patterns[0]!, `${'a'.repeat(900)}0`)).toBe(true);
});
