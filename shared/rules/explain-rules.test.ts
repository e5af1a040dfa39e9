import { describe, expect, it } from 'vitest';
import { explainRules } from './explain-rules.js';
import { createRegexGuard } from './regex-guard.js';
import type { ConditionLogic, RuleCondition, RuleDefinition } from './rule-definition.js';
import { createTestVisitor } from './visitor.fixture.js';

const NOW_MS = 1_000;

const IS_GERMAN: RuleCondition = { attribute: 'country', operator: 'equals', value: 'DE' };
const IS_MOBILE: RuleCondition = { attribute: 'device_type', operator: 'equals', value: 'mobile' };
const HAS_CODE: RuleCondition = { attribute: 'query_param', operator: 'exists', param: 'code' };
const BROKEN: RuleCondition = { attribute: 'city', operator: 'regex', value: '(' };

const germanOnMobile = createTestVisitor({ country: 'DE', deviceType: 'mobile' });

function rule(
  id: number,
  conditionLogic: ConditionLogic,
  conditions: readonly RuleCondition[],
  dates: { readonly startMs?: number; readonly endMs?: number } = {},
): RuleDefinition {
  return {
    id,
    conditionLogic,
    conditions,
    action: { type: 'redirect', url: 'https://a.example/' },
    ...dates,
  };
}

const allowance = createRegexGuard().allowance();
const explainOne = (definition: RuleDefinition) =>
  explainRules([definition], germanOnMobile, NOW_MS, allowance)[0]!;

interface Case {
  readonly name: string;
  readonly logic: ConditionLogic;
  readonly conditions: readonly RuleCondition[];
  readonly outcome: string;
  readonly matched: readonly boolean[];
  readonly decidedBy: number | null;
}

const CASES: readonly Case[] = [
  {
    name: 'AND of what all holds',
    logic: 'AND',
    conditions: [IS_GERMAN, IS_MOBILE],
    outcome: 'matched',
    matched: [true, true],
    decidedBy: null,
  },
  {
    name: 'AND that fails in the middle',
    logic: 'AND',
    conditions: [IS_GERMAN, HAS_CODE, IS_MOBILE],
    outcome: 'not_matched',
    matched: [true, false],
    decidedBy: 1,
  },
  {
    name: 'OR that holds in the middle',
    logic: 'OR',
    conditions: [HAS_CODE, IS_GERMAN, IS_MOBILE],
    outcome: 'matched',
    matched: [false, true],
    decidedBy: 1,
  },
  {
    name: 'OR of what all fails',
    logic: 'OR',
    conditions: [HAS_CODE, HAS_CODE],
    outcome: 'not_matched',
    matched: [false, false],
    decidedBy: null,
  },
  { name: 'AND of nothing', logic: 'AND', conditions: [], outcome: 'matched', matched: [], decidedBy: null },
  { name: 'OR of nothing', logic: 'OR', conditions: [], outcome: 'matched', matched: [], decidedBy: null },
  {
    name: 'a rule that cannot be compiled',
    logic: 'OR',
    conditions: [IS_GERMAN, BROKEN],
    outcome: 'not_matched',
    matched: [],
    decidedBy: null,
  },
];

describe('an explanation', () => {
  it.each(CASES)('of $name tells what decided', ({ logic, conditions, outcome, matched, decidedBy }) => {
    const explanation = explainOne(rule(7, logic, conditions));
    expect(explanation).toMatchObject({ ruleId: 7, outcome, decidedBy });
    expect(explanation.conditions.map((condition) => condition.matched)).toEqual(matched);
    expect(explanation.conditions.map(({ index }) => index)).toEqual(matched.map((_, index) => index));
  });

  it('goes by the clock of the time zone that a condition names, and names it', () => {
    const evening: RuleCondition = { attribute: 'hour_of_day', operator: 'equals', value: 20 };
    const clocks = { 'asia/tokyo': { hourOfDay: 20, dayOfWeek: 1 } };
    const visitor = createTestVisitor({ hourOfDay: 11, clocks });
    const conditions: RuleCondition[] = [{ ...evening, timezone: 'Asia/Tokyo' }, evening];
    const [explanation] = explainRules(
      [rule(1, 'AND', conditions)],
      visitor,
      0,
      createRegexGuard().allowance(),
    );
    expect(explanation!.conditions).toEqual([
      { index: 0, attribute: 'hour_of_day', operator: 'equals', timezone: 'Asia/Tokyo', matched: true },
      { index: 1, attribute: 'hour_of_day', operator: 'equals', matched: false },
    ]);
  });

  it('repeats what a condition is about', () => {
    expect(explainOne(rule(1, 'AND', [HAS_CODE])).conditions).toEqual([
      { index: 0, attribute: 'query_param', operator: 'exists', param: 'code', matched: false },
    ]);
  });

  it.each([
    { dates: { startMs: NOW_MS + 1 }, outcome: 'not_started' },
    { dates: { startMs: NOW_MS }, outcome: 'matched' },
    { dates: { endMs: NOW_MS }, outcome: 'matched' },
    { dates: { endMs: NOW_MS - 1 }, outcome: 'ended' },
  ])('of a rule with $dates at 1000 is $outcome', ({ dates, outcome }) => {
    expect(explainOne(rule(1, 'AND', [], dates)).outcome).toBe(outcome);
  });

  it('ends with the rule that decides: later ones are not reached, whatever they are', () => {
    const rules = [
      rule(1, 'AND', [HAS_CODE]),
      rule(2, 'AND', [], { endMs: 0 }),
      rule(3, 'AND', [IS_GERMAN]),
      rule(4, 'AND', []),
      rule(5, 'AND', [], { endMs: 0 }),
    ];
    const explained = explainRules(rules, germanOnMobile, NOW_MS, allowance);
    expect(explained.map(({ ruleId, outcome }) => [ruleId, outcome])).toEqual([
      [1, 'not_matched'],
      [2, 'ended'],
      [3, 'matched'],
      [4, 'not_reached'],
      [5, 'not_reached'],
    ]);
  });
});
