import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RuleDefinition } from '../rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from '../visitor.fixture.js';
import { visitorIdOf } from './chi-square.fixture.js';
import { abTest, NEW, percentage, RULE_ID, ruleWith } from './choice-rules.fixture.js';
import { compileChoice } from './compile-choice.js';

function choose(rule: RuleDefinition, traits: TestVisitorTraits = {}) {
  return compileChoice(rule, 0).choose(createTestVisitor(traits));
}

const at = (draw: number) => ({ draw: () => draw });

describe('a forced redirect', () => {
  it('ends in the one way, without reading anything', () => {
    const rule = ruleWith({ type: 'redirect', url: NEW, pathForwarding: true });
    const visitor = createTestVisitor();
    const choice = compileChoice(rule, 3);
    const expected = { index: 3, ruleId: RULE_ID, variant: '', target: rule.action, setCookie: undefined };
    expect(choice.choose(visitor)).toEqual(expected);
    expect(choice.outcomes).toEqual([expected]);
    expect(visitor.reads).toEqual([]);
  });
});

describe('a percentage', () => {
  it.each([
    { share: 30, draw: 0, isIn: true },
    { share: 30, draw: 0.2999, isIn: true },
    { share: 30, draw: 0.3, isIn: false },
    { share: 100, draw: 0.999999, isIn: true },
    { share: 0.001, draw: 0.000009, isIn: true },
    { share: 0.001, draw: 0.00001, isIn: false },
  ])('of $share takes in who draws $draw: $isIn', ({ share, draw, isIn }) => {
    expect(choose(percentage(share), at(draw))?.target?.url).toBe(isIn ? NEW : undefined);
  });

  it('has two outcomes, in and out', () => {
    expect(compileChoice(percentage(30), 5).outcomes).toMatchObject([
      { index: 5, target: { url: NEW } },
      { index: 6, target: undefined },
    ]);
  });

  it('that grows only takes in more visitors when it sticks to the visitor', () => {
    const shares = [1, 10, 10.5, 50, 99.9, 100];
    for (let number = 0; number < 2_000; number += 1) {
      const visitorId = visitorIdOf(number);
      const isIn = shares.map(
        (share) => choose(percentage(share, 'visitor'), { visitorId })?.target !== undefined,
      );
      expect(isIn).toEqual(isIn.toSorted());
    }
  });
});

describe('an A/B test', () => {
  it('has an outcome for each variant, in their order', () => {
    const rule = abTest({ a: 20, b: 30, c: 50 });
    expect(compileChoice(rule, 1).outcomes).toMatchObject([
      { index: 1, variant: 'a', target: { url: 'https://a.example' } },
      { index: 2, variant: 'b', target: { url: 'https://b.example' } },
      { index: 3, variant: 'c', target: { url: 'https://c.example' } },
    ]);
  });

  it.each([
    { draw: 0, variant: 'a' },
    { draw: 0.19, variant: 'a' },
    { draw: 0.2, variant: 'b' },
    { draw: 0.51, variant: 'c' },
    { draw: 0.999, variant: 'c' },
  ])('gives $variant to who draws $draw', ({ draw, variant }) => {
    expect(choose(abTest({ a: 20, b: 30, c: 50 }), at(draw))?.variant).toBe(variant);
  });

  it('that sticks to the visitor throws no dice', () => {
    const visitor = createTestVisitor();
    compileChoice(abTest({ a: 50, b: 50 }, 'visitor'), 0).choose(visitor);
    expect(visitor.reads).not.toContain('draw');
    expect(visitor.reads).not.toContain('cookie');
  });
});

describe('a choice that does not say how it is remembered', () => {
  it('sets a cookie in an A/B test and heeds it', () => {
    const variants = ['a', 'b'].map((name) => ({ name, percentage: 50, url: `https://${name}.example` }));
    const silent = ruleWith({ type: 'ab_test', variants });
    const drawn = choose(silent, at(0.7));
    expect(drawn).toEqual(choose(abTest({ a: 50, b: 50 }, 'cookie'), at(0.7)));
    expect(drawn?.setCookie).toBeDefined();
    const cookies = { wm_42: tokenIn(drawn?.setCookie) };
    expect(choose(silent, { cookies, ...at(0) })).toMatchObject({ variant: 'b', setCookie: undefined });
  });

  it('is drawn anew for each request in a percentage', () => {
    const silent = ruleWith({ type: 'percentage_redirect', url: NEW, percentage: 50 });
    for (const draw of [0.1, 0.9]) {
      const isIn = choose(percentage(50, 'none'), at(draw))?.target !== undefined;
      expect(choose(silent, at(draw))).toMatchObject({
        target: isIn ? { url: NEW } : undefined,
        setCookie: undefined,
      });
    }
  });
});

describe('a choice that sticks by cookie', () => {
  const rule = abTest({ a: 50, b: 50 }, 'cookie');

  it('is drawn and set for a visitor without a cookie', () => {
    const outcome = choose(rule, at(0.7));
    expect(outcome?.variant).toBe('b');
    expect(outcome?.setCookie).toMatch(/^wm_42=[0-9a-z]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('has the index of its twin that sets no cookie', () => {
    const choice = compileChoice(rule, 8);
    const drawn = choice.choose(createTestVisitor(at(0.7)));
    expect(choice.outcomes.map(({ setCookie }) => setCookie)).toEqual([undefined, undefined]);
    expect(choice.outcomes[drawn!.index - 8]).toEqual({ ...drawn, setCookie: undefined });
  });

  it.each([
    { kind: 'an A/B test', sticking: rule },
    { kind: 'a percentage', sticking: percentage(50, 'cookie') },
  ])('is kept in $kind whatever the dice say, and not set again', ({ sticking }) => {
    for (const first of [0.1, 0.9]) {
      const drawn = choose(sticking, at(first));
      const cookies = { wm_42: tokenIn(drawn?.setCookie) };
      for (const draw of [0.1, 0.9]) {
        const kept = choose(sticking, { cookies, ...at(draw) });
        expect(kept).toEqual({ ...drawn, setCookie: undefined });
      }
    }
  });

  it.each(['', 'zzz', 'a', 'IN', '0', '__proto__', 'constructor', 'x'.repeat(4_000)])(
    'is drawn anew for who brings %j',
    (value) => {
      expect(choose(rule, { cookies: { wm_42: value }, ...at(0.7) })).toEqual(choose(rule, at(0.7)));
    },
  );

  it('takes no notice of the cookies of other rules', () => {
    const other = choose(abTest({ a: 50, b: 50 }, 'cookie', 43), at(0));
    const token = tokenIn(other?.setCookie);
    expect(choose(rule, { cookies: { wm_43: token, wm_42: token }, ...at(0.7) })?.setCookie).toBeDefined();
  });

  it('is kept when other variants come, go, change places and shares', () => {
    const token = tokenIn(choose(rule, at(0.7))?.setCookie);
    const changed = abTest({ c: 98, d: 1, b: 1 }, 'cookie');
    expect(choose(changed, { cookies: { wm_42: token }, ...at(0) })).toMatchObject({
      variant: 'b',
      setCookie: undefined,
    });
  });

  it('is drawn anew when its variant has been removed', () => {
    const token = tokenIn(choose(rule, at(0.7))?.setCookie);
    const changed = choose(abTest({ a: 50, c: 50 }, 'cookie'), { cookies: { wm_42: token }, ...at(0) });
    expect(changed).toMatchObject({ variant: 'a', setCookie: expect.stringContaining('wm_42=') });
  });

  it('is kept when a percentage changes', () => {
    const out = tokenIn(choose(percentage(10, 'cookie'), at(0.7))?.setCookie);
    expect(out).toBe('out');
    expect(choose(percentage(90, 'cookie'), { cookies: { wm_42: out }, ...at(0) })?.target).toBeUndefined();
  });

  it.each(vectorsOfTokens())('names "$variant" of rule $ruleId by $token', ({ ruleId, variant, token }) => {
    const outcome = choose(abTest({ [variant]: 50, other: 50 }, 'cookie', ruleId), at(0));
    expect(tokenIn(outcome?.setCookie)).toBe(token);
  });
});

function tokenIn(setCookie: string | undefined): string {
  return setCookie?.match(/=([^;]*);/)?.[1] ?? 'no cookie was set';
}

function vectorsOfTokens(): { ruleId: number; variant: string; token: string }[] {
  return JSON.parse(readFileSync(new URL('./draw-vectors.json', import.meta.url), 'utf8')).tokens;
}
