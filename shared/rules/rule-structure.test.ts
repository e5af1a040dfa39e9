import { describe, expect, it } from 'vitest';
import { isRuleDefinition } from './rule-structure.js';

const FORCE = { type: 'redirect', url: 'https://a.example' };
const SHARE = { type: 'percentage_redirect', url: 'https://a.example', percentage: 12.5, sticky: 'visitor' };
const VARIANT = { name: 'a', percentage: 50, url: 'https://a.example', queryForwarding: false };
const SPLIT = { type: 'ab_test', variants: [VARIANT, { ...VARIANT, name: 'b' }], sticky: 'cookie' };
const CONDITION = { attribute: 'country', operator: 'in', value: ['CH', 'AT'] };
const RULE = { id: 1, conditionLogic: 'AND', conditions: [CONDITION], action: FORCE };

const withCondition = (change: object) => ({ ...RULE, conditions: [CONDITION, { ...CONDITION, ...change }] });
const withAction = (action: unknown) => ({ ...RULE, action });

describe('the structure of a rule', () => {
  it.each<[string, unknown]>([
    ['a forced redirect', RULE],
    ['one without conditions', { ...RULE, conditions: [] }],
    ['one that matches any condition', { ...RULE, conditionLogic: 'OR' }],
    ['one with dates', { ...RULE, startMs: 0, endMs: 1_700_000_000_000 }],
    ['a percentage', withAction(SHARE)],
    ['an A/B test', withAction(SPLIT)],
    ['a percentage that does not say how it is remembered', withAction({ ...SHARE, sticky: undefined })],
    ['an A/B test that does not say so', withAction({ ...SPLIT, sticky: undefined })],
    ['switches of its own', withAction({ ...FORCE, pathForwarding: true, queryForwarding: false })],
    ['switches of an A/B test', withAction({ ...SPLIT, pathForwarding: true, queryForwarding: false })],
    ['a condition without a value', { ...RULE, conditions: [{ attribute: 'city', operator: 'exists' }] }],
    ['a single number', withCondition({ attribute: 'hour_of_day', operator: 'equals', value: 7 })],
    ['numbers and texts', withCondition({ attribute: 'hour_of_day', value: [7, '8'] })],
    ['a parameter', withCondition({ attribute: 'query_param', operator: 'equals', value: '1', param: 'p' })],
    [
      'a time zone',
      withCondition({ attribute: 'hour_of_day', operator: 'equals', value: 7, timezone: 'UTC' }),
    ],
    ['what makes no sense but is well built', withCondition({ operator: 'between', value: 'one' })],
  ])('is that of %s', (_name, value) => {
    expect(isRuleDefinition(value)).toBe(true);
    expect(isRuleDefinition(JSON.parse(JSON.stringify(value)))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'rule'],
    ['an id that is a text', { ...RULE, id: '1' }],
    ['an id with a fraction', { ...RULE, id: 1.5 }],
    ['an id that is not above 0', { ...RULE, id: 0 }],
    ['another logic', { ...RULE, conditionLogic: 'XOR' }],
    ['conditions that are no list', { ...RULE, conditions: { ...CONDITION } }],
    ['a condition that is none', { ...RULE, conditions: [CONDITION, null] }],
    ['an unknown attribute', withCondition({ attribute: 'shoe_size' })],
    ['an inherited name for an attribute', withCondition({ attribute: 'constructor' })],
    ['an attribute that is no text', withCondition({ attribute: 1 })],
    ['an unknown operator', withCondition({ operator: 'resembles' })],
    ['an operator that is no text', withCondition({ operator: ['equals'] })],
    ['a value that is an object', withCondition({ value: {} })],
    ['a value that is null', withCondition({ value: null })],
    ['a value that is infinite', withCondition({ value: [Number.POSITIVE_INFINITY] })],
    ['an infinite date', { ...RULE, endMs: Number.POSITIVE_INFINITY }],
    ['an infinite percentage', withAction({ ...SHARE, percentage: Number.POSITIVE_INFINITY })],
    ['a list with a list in it', withCondition({ value: [['CH']] })],
    ['a parameter that is no text', withCondition({ param: 1 })],
    ['a time zone that is no text', withCondition({ timezone: 1 })],
    ['no action', withAction(undefined)],
    ['an unknown action', withAction({ ...FORCE, type: 'reward' })],
    ['an action without a URL', withAction({ type: 'redirect' })],
    ['a switch that is no switch', withAction({ ...FORCE, pathForwarding: 'yes' })],
    ['another switch that is no switch', withAction({ ...FORCE, queryForwarding: 1 })],
    ['a switch of an A/B test that is none', withAction({ ...SPLIT, pathForwarding: 'yes' })],
    ['a percentage that is a text', withAction({ ...SHARE, percentage: '12' })],
    ['a percentage with stickiness null', withAction({ ...SHARE, sticky: null })],
    ['a test with another stickiness', withAction({ ...SPLIT, sticky: 'glue' })],
    ['a test without variants', withAction({ ...SPLIT, variants: undefined })],
    ['a variant that is none', withAction({ ...SPLIT, variants: [VARIANT, 7] })],
    ['a variant without a name', withAction({ ...SPLIT, variants: [{ ...VARIANT, name: undefined }] })],
    [
      'a variant without a percentage',
      withAction({ ...SPLIT, variants: [{ ...VARIANT, percentage: null }] }),
    ],
    ['a variant without a URL', withAction({ ...SPLIT, variants: [{ ...VARIANT, url: undefined }] })],
    ['a start that is a text', { ...RULE, startMs: '2026-01-01' }],
    ['an end that is null', { ...RULE, endMs: null }],
  ])('is not that of %s', (_name, value) => {
    expect(isRuleDefinition(value)).toBe(false);
  });
});
