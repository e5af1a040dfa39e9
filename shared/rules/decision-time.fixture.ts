import { expect } from 'vitest';
import type { Attribute, Operator } from './attributes.js';
import { createRegexGuard } from './regex-guard.js';
import type { ConditionValue, RuleCondition, RuleDefinition } from './rule-definition.js';
import type { RuleMatcher } from './rule-matcher.js';
import type { Visitor } from './visitor.js';

/** Under a clock that stands still no regex is ever skipped, so that all of them are timed. */
export const unlimited = createRegexGuard({ nowMs: () => 0 });

/** A rule that sends everybody on for whom the conditions hold. */
export function ruleOf(
  id: number,
  conditions: readonly RuleCondition[],
  more: Partial<RuleDefinition> = {},
): RuleDefinition {
  const action = { type: 'redirect', url: `https://rule-${id}.example/` } as const;
  return { id, conditionLogic: 'AND', conditions, action, ...more };
}

export function upTo<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const MEASURING_MS = 60;
const MIN_SAMPLES = 5;

/** Milliseconds of the quickest of many decisions, since noise only ever adds. */
export function decisionMs(matcher: RuleMatcher, makeVisitor: () => Visitor): number {
  const endMs = performance.now() + MEASURING_MS;
  let quickest = Number.POSITIVE_INFINITY;
  for (let samples = 0; samples < MIN_SAMPLES || performance.now() < endMs; samples++) {
    const visitor = makeVisitor();
    const startMs = performance.now();
    matcher.decide(visitor);
    quickest = Math.min(quickest, performance.now() - startMs);
  }
  return quickest;
}

/** Four times as much may take this many times as long; quadratic work would take 16 times. */
const MAX_GROWTH = 10;
/** Below this much more, growth says nothing. */
const NOISE_MS = 0.1;

/** Holds `timedMs` to linear growth from a quarter of `size` to `size`, and to `boundMs` for the latter. */
export function expectLinear(size: number, boundMs: number, timedMs: (size: number) => number): void {
  const [quarterMs, wholeMs] = [timedMs(size / 4), timedMs(size)];
  expect(wholeMs).toBeLessThan(MAX_GROWTH * quarterMs + NOISE_MS);
  expect(wholeMs).toBeLessThan(boundMs);
}

export function text(attribute: Attribute, operator: Operator, value: ConditionValue = ''): RuleCondition {
  return { attribute, operator, value };
}
