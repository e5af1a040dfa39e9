import { expect } from 'vitest';
import type { Attribute, Operator, Visitor } from './attributes.js';
import { compileRules } from './compile-rules.js';
import { createPatientGuard } from './patient-guard.fixture.js';
import type { ConditionValue, RuleCondition, RuleDefinition } from './rule-definition.js';

/** A rule that redirects all visitors who satisfy the conditions. */
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
 * Returns the shortest time of many decisions in milliseconds, because noise only adds. Each must choose the rule
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

/** Maximum factor of time for four times the size. Quadratic work would take 16 times. */
const MAX_GROWTH = 10;
/** Growth below this is noise. */
const NOISE_MS = 0.1;

/** Repetitions: a busy machine can disturb one measurement, but not all. */
const MAX_ROUNDS = 5;

/** Expects linear growth from a quarter of `size` to `size`, and at most `boundMs` for `size`. */
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
