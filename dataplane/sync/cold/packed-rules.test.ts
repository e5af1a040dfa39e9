import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTES, OPERATORS } from '../../../shared/rules/attributes.js';
import type { RuleCondition } from '../../../shared/rules/rule-definition.js';
import { ruleOf, shareOf } from '../rule-definition.fixture.js';
import { attributeCodes, isPackedRule, operatorCodes, packRule, unpackRule } from './packed-rules.js';

const single = fc.oneof(fc.string(), fc.constantFrom(0, 1, -1.5));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const condition = fc
  .record(
    {
      attribute: fc.constantFrom(...(Object.keys(ATTRIBUTES) as RuleCondition['attribute'][])),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.oneof(single, fc.array(single, { maxLength: 3 })),
      param: fc.string(),
      timezone: fc.string(),
    },
    { requiredKeys: ['attribute', 'operator'] },
  )
  .map((made) => ({ ...made }) as RuleCondition);
const rule = fc
  .record({
    conditions: fc.array(condition, { maxLength: 4 }),
    conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
    startMs: optional(fc.nat()),
    endMs: optional(fc.nat()),
    action: fc.constantFrom(ruleOf(1).action, shareOf(1, 50).action),
  })
  .map(({ startMs, endMs, ...more }) =>
    ruleOf(1, { ...more, ...(startMs !== undefined && { startMs }), ...(endMs !== undefined && { endMs }) }),
  );

describe('packed rules', () => {
  it('are what they were when they are unpacked', () => {
    fc.assert(
      fc.property(rule, (one) => {
        const packed = JSON.parse(JSON.stringify(packRule(one)));
        expect(isPackedRule(packed)).toBe(true);
        expect(unpackRule(packed)).toStrictEqual(one);
      }),
    );
  });

  it('are read as an older release wrote them', () => {
    const written = `[7,"AND",{"type":"redirect","url":"https://a.example/"},0,"os_name","equals","iOS",0]`;
    const action = { type: 'redirect', url: 'https://a.example/' } as const;
    const conditions = [{ attribute: 'os_name', operator: 'equals', value: 'iOS' }] as const;
    expect(unpackRule(JSON.parse(written))).toStrictEqual({
      id: 7,
      conditionLogic: 'AND',
      conditions,
      action,
    });
  });

  it('have numbers for all names, of which no two are the same', () => {
    for (const { codeOf } of [attributeCodes, operatorCodes]) {
      const codes = Object.values(codeOf);
      expect(codes.toSorted((one, other) => one - other)).toEqual([...codes.keys()]);
    }
  });

  it('keep their numbers, since snapshots on disk contain them', () => {
    const first = (count: number, nameOf: (code: unknown) => string) =>
      Array.from({ length: count }, (_, code) => nameOf(code)).join(' ');
    expect(first(19, attributeCodes.nameOf)).toBe(
      'country region city device_type device_brand device_model browser_name browser_version os_name os_version ' +
        'referrer referrer_domain hour_of_day day_of_week language url_path query_param user_agent ip_address',
    );
    expect(first(17, operatorCodes.nameOf)).toBe(
      'equals not_equals in not_in contains not_contains starts_with ends_with regex greater_than less_than ' +
        'greater_equal less_equal between ip_range exists not_exists',
    );
  });

  it.each([
    [null],
    [{ ...ruleOf(1) }],
    [[1, 'AND', {}]],
    [[1, 'AND', {}, null]],
    [[1, 'AND', {}, []]],
    [[1, 'AND', {}, 0, 'country', 'equals', 'DE']],
  ])('are not found in %j', (value) => {
    expect(isPackedRule(value)).toBe(false);
  });
});
