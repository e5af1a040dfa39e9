import { describe, expect, it } from 'vitest';
import { compileRules } from '../../shared/rules/compile-rules.js';
import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import { createWorkload, type WorkloadName } from './rule-workload.js';

describe.each<WorkloadName>(['mixed', 'paths', 'starts'])('rules and visitors of "%s"', (name) => {
  it.each([1, 10, 100, 3_000])('go together, each visitor with the one rule expected of %i', (count) => {
    const { rules, hits, misses } = createWorkload(name, count);
    expect(rules).toHaveLength(count);
    const expected = new Map([...hits, ...misses].map(({ visitor, ruleId }) => [visitor, ruleId]));
    for (const matcher of [rules, rules.toReversed()].map((some) => compileRules(some, createRegexGuard()))) {
      for (const [visitor, ruleId] of expected) expect(matcher.decide(visitor)?.ruleId).toBe(ruleId);
    }
  });
});
