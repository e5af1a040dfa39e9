import { expect } from 'vitest';
import type { Attribute, Operator } from './attributes.js';
import { compileRules } from './compile-rules.js';
import { createPatientGuard } from './patient-guard.fixture.js';
import type { ConditionValue, RuleCondition, RuleDefinition } from './rule-definition.js';
import type { Visitor } from './visitor.js';

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

/**
 * Milliseconds of the quickest of many decisions, since noise only ever adds. Each has to come to the rule
 * `ruleId`, and none may skip a regex.
 */
export function decisionMs(
  rules: readonly RuleDefinition[],
  ruleId: number | undefined,
  makeVisitor: () => Visitor,
): number {
  const { guard, rest } = createPatientGuard();
  const matcher = compileRules(rules, guard);
  const endMs = performance.now() + MEASURING_MS;
  let quickest = Number.POSITIVE_INFINITY;
  for (let samples = 0; samples < MIN_SAMPLES || performance.now() < endMs; samples++) {
    rest();
    const visitor = makeVisitor();
    const startMs = performance.now();
    const outcome = matcher.decide(visitor);
    quickest = Math.min(quickest, performance.now() - startMs);
    expect(outcome?.ruleId).toBe(ruleId);
  }
  expect(guard.skipped).toBe(0);
  return quickest;
}

/** Four times as much may take this many times as long; quadratic work would take 16 times. */
const MAX_GROWTH = 10;
/** Below this much more, growth says nothing. */
const NOISE_MS = 0.1;

/** A machine that is busy during one of two measurements says nothing of growth; it is not so again and again. */
const MAX_ROUNDS = 5;

/** Holds `timedMs` to linear growth from a quarter of `size` to `size`, and to `boundMs` for the latter. */
export function expectLinear(size: number, boundMs: number, timedMs: (size: number) => number): void {
  let quarterMs = 0;
  let wholeMs = Number.POSITIVE_INFINITY;
  const limitMs = () => Math.min(boundMs, MAX_GROWTH * quarterMs + NOISE_MS);
  for (let round = 0; round < MAX_ROUNDS && wholeMs >= limitMs(); round++) {
    quarterMs = timedMs(size / 4);
    wholeMs = timedMs(size);
  }
  expect(wholeMs).toBeLessThan(limitMs());
}

export function text(attribute: Attribute, operator: Operator, value: ConditionValue = ''): RuleCondition {
  return { attribute, operator, value };
}
