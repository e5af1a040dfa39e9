import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleOf } from '../rule.fixture.js';
import type { RuleCondition, RuleDefinition } from '../rule-definition.js';
import { nameOfCondition, nameOfRules } from './names.js';

/** Texts that are made of what stands between texts in names. */
const text = fc.string({
  unit: fc.constantFrom('1', '2', ':', '#', '[', ']', '?', '@', '&', ';', 'À', 'Ó'),
  maxLength: 4,
});
const single = fc.oneof(text, fc.integer({ min: 0, max: 12 }));
const condition = fc
  .record({
    attribute: fc.constantFrom('query_param', 'city'),
    operator: fc.constantFrom('equals', 'not_equals', 'in'),
    value: fc.option(fc.oneof(single, fc.array(single, { maxLength: 2 })), { nil: undefined }),
    param: fc.option(text, { nil: undefined }),
    timezone: fc.option(text, { nil: undefined }),
  })
  .map((made) => made as RuleCondition);
const time = fc.constantFrom(undefined, 0, 1, 11);
const rules = fc.array(
  fc
    .record({
      conditions: fc.array(condition, { maxLength: 2 }),
      conditionLogic: fc.constantFrom('AND', 'OR'),
      startMs: time,
      endMs: time,
    })
    .map(({ conditions, ...more }) => ruleOf(1, conditions, more as Partial<RuleDefinition>)),
  { maxLength: 2 },
);

describe('names', () => {
  it('are the same for rules that ask for the same, and for no others', () => {
    const known = new Map<string, unknown>();
    fc.assert(
      fc.property(rules, (some) => {
        const asked = some.map(({ action, ...asks }) => asks);
        const name = nameOfRules(structuredClone(some), 1_000)!;
        if (known.has(name)) expect(asked).toEqual(known.get(name));
        known.set(name, asked);
        const elsewhere = some.map((rule) => ({
          ...rule,
          id: 2,
          action: { type: 'redirect', url: '' } as const,
        }));
        expect(nameOfRules(elsewhere, 1_000)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are not made of rules that ask for too much', () => {
    const value = Array.from({ length: 50 }, (_, place) => `city ${place}`);
    const rule = ruleOf(1, [{ attribute: 'city', operator: 'in', value }]);
    expect(nameOfRules([rule], 1_000)).toBeDefined();
    expect(nameOfRules([rule, rule, rule], 1_000)).toBeUndefined();
  });

  it('are the same for equal conditions, and for no others', () => {
    const known = new Map<string, RuleCondition>();
    fc.assert(
      fc.property(condition, (some) => {
        const name = nameOfCondition(some);
        expect(known.get(name) ?? some).toEqual(some);
        known.set(name, some);
      }),
      { numRuns: 2_000 },
    );
  });
});
