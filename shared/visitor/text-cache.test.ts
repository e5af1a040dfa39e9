import { describe, expect, it } from 'vitest';
import { cachedByText } from './text-cache.js';

/** Tells of each text how often it was worked out. */
function counting(maxEntries: number) {
  const times = new Map<string, number>();
  const cached = cachedByText((text) => {
    times.set(text, (times.get(text) ?? 0) + 1);
    return { text };
  }, maxEntries);
  return { cached, timesOf: (text: string) => times.get(text) ?? 0 };
}

const texts = (count: number, name = 'text') =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`);

describe('a cache by text', () => {
  it('computes the result of a repeated text once', () => {
    const { cached, timesOf } = counting(100);
    expect(cached('a')).toBe(cached('a'));
    expect(timesOf('a')).toBe(1);
    expect(cached('a')).toEqual({ text: 'a' });
    expect(cached('b')).toEqual({ text: 'b' });
  });

  it('remembers the empty text as a result', () => {
    let times = 0;
    const cached = cachedByText(() => {
      times += 1;
      return '';
    }, 10);
    expect([cached('a'), cached('a'), times]).toEqual(['', '', 1]);
  });

  it('remembers at least half as many texts as it may, and forgets the others', () => {
    const { cached, timesOf } = counting(100);
    const [old, recent] = [texts(60, 'old'), texts(50, 'recent')];
    for (const text of [...old, ...recent, ...recent]) cached(text);
    expect(recent.filter((text) => timesOf(text) > 1)).toEqual([]);
    for (const text of texts(100, 'new')) cached(text);
    for (const text of old) cached(text);
    expect(old.filter((text) => timesOf(text) === 1)).toEqual([]);
  });

  it('keeps texts in frequent use while many others are added', () => {
    const { cached, timesOf } = counting(100);
    for (const text of texts(1_000)) {
      cached('always');
      cached(text);
    }
    expect(timesOf('always')).toBe(1);
  });

  it('does not remember long texts', () => {
    const { cached, timesOf } = counting(100);
    const long = 'x'.repeat(513);
    expect(cached(long)).toEqual(cached(long));
    expect(timesOf(long)).toBe(2);
  });

  it('returns a cached result without computing it, which counts as a use', () => {
    const { cached, timesOf } = counting(4);
    expect(cached.known('a')).toBeUndefined();
    const result = cached('a');
    for (const text of ['b', 'c', 'd', 'e', 'f']) {
      cached(text);
      expect(cached.known('a')).toBe(result);
    }
    expect(timesOf('a')).toBe(1);
    for (const text of texts(4)) cached(text);
    expect(cached.known('a')).toBeUndefined();
    expect(timesOf('a')).toBe(1);
  });
});
