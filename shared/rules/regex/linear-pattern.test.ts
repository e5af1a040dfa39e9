import { describe, expect, it } from 'vitest';
import { LinearPattern } from './linear-pattern.js';
import { BROKEN_OFF } from './metered-text.js';
import { scatteredText } from './scattered-text.fixture.js';

const AS = 'a'.repeat(4_096);

describe('a pattern', () => {
  it.each([
    { pattern: 'b', text: 'abc', found: true },
    { pattern: '^b', text: 'abc', found: false },
    { pattern: '^abc$', text: 'abc', found: true },
    { pattern: '^a.c$', text: 'a\nc', found: false },
    { pattern: '(?s)^a.c$', text: 'a\nc', found: true },
    { pattern: '(?i)STRASSE', text: 'Hauptstrasse', found: true },
    { pattern: '^.$', text: '😀', found: true },
    { pattern: '\\p{Greek}', text: 'aβ', found: true },
    { pattern: '\\bb', text: 'ab b', found: true },
    { pattern: 'x*', text: '', found: true },
    { pattern: '^.$', text: '\ud800', found: true },
    { pattern: '(?=a)', text: 'a', found: false },
    { pattern: '(?=a)', text: '', found: false },
  ])('$pattern in $text is found: $found', ({ pattern, text, found }) => {
    const compiled = new LinearPattern(pattern);
    expect(compiled.test(text)).toBe(found);
    expect(compiled.testUnless(() => false, text)).toBe(found);
  });

  it.each([
    { pattern: '(a+)+$', text: `${AS}!`, found: false },
    { pattern: '(a+)+$', text: AS, found: true },
    { pattern: '(a|a)*b', text: AS, found: false },
    { pattern: '(a|aa)+$', text: `${AS}!`, found: false },
    { pattern: '(.*a){20}!', text: AS, found: false },
    { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', text: AS, found: false },
    { pattern: '(x*)*(y*)*(z*)*!', text: 'xyz'.repeat(1_300), found: false },
    { pattern: '(?:a?){30}a{30}', text: AS, found: true },
  ])('$pattern, which backtracking engines take ages for, does not', ({ pattern, text, found }) => {
    const compiled = new LinearPattern(pattern);
    compiled.prepare();
    const startedAtMs = performance.now();
    expect(compiled.test(text)).toBe(found);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  });

  it('can be broken off in the middle of a search, and is itself again afterwards', () => {
    const slow = new LinearPattern('([ab]{0,30}a){10}[c-e]');
    let questions = 0;
    expect(() => slow.testUnless(() => ++questions === 5, `${scatteredText(4_000)}c`)).toThrow(BROKEN_OFF);
    expect(questions).toBe(5);
    expect(slow.test(`${'a'.repeat(300)}c`)).toBe(true);
    expect(slow.test('a'.repeat(300))).toBe(false);
  });

  it('tells what it has worked out, and when the engine got slow over it', () => {
    const slow = new LinearPattern('([ab]{0,30}a){10}[c-e]');
    slow.test('aabc');
    const builtBytes = slow.builtBytes;
    expect(builtBytes).toBeGreaterThan(0);
    slow.test('aabc');
    expect(slow.builtBytes).toBe(builtBytes);
    expect(slow.overflows).toBe(0);
    slow.test(`${scatteredText(1_000)}c`);
    expect(slow.builtBytes).toBeGreaterThan(512 * 1024);
    expect(slow.overflows).toBeGreaterThan(0);
  });

  it.each([
    '(?i)googlebot|bingbot',
    '.*Mobile.*Safari/[0-9.]+$',
    '[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+$',
    '[\\w.+-]+@[\\w-]+\\.[\\w.-]{2,253}',
    Array.from({ length: 90 }, (_, at) => `w${at * 7}`).join('|'),
  ])('never gets slow if it is an ordinary one: %s', (source) => {
    const ordinary = new LinearPattern(source);
    for (let text = 0; text < 50; text++) {
      const words = Array.from({ length: 500 }, (_, at) => `w${(at * at * 31 + text) % 997}-x.${at}@`);
      ordinary.test(words.join(text % 2 === 0 ? '/' : ''));
    }
    expect(ordinary.overflows).toBe(0);
  });

  it('keeps about half a MiB at most, whatever texts it meets, and gives it back', () => {
    const pattern = new LinearPattern('[ab]*a[ab]{14}[c-f]');
    let keptBytes = 0;
    for (let text = 0; text < 20; text++) {
      pattern.test(`${scatteredText(4_000 + text).slice(text)}c`);
      keptBytes += pattern.grownBytes();
    }
    expect(keptBytes).toBeGreaterThan(100_000);
    expect(keptBytes).toBeLessThan(0.7 * 1024 * 1024);
    expect(pattern.grownBytes()).toBe(0);
    pattern.forget();
    expect(pattern.isPrepared).toBe(false);
    expect(pattern.test('aaaaaaaaaaaaaaac')).toBe(true);
    expect(pattern.grownBytes()).toBeGreaterThan(0);
  });
});
