import { expect, it } from 'vitest';
import { compileRules } from './compile-rules.js';
import { createRegexGuard } from './regex-guard.js';
import { ruleOf, rulesOf } from './rule.fixture.js';
import type { RuleCondition, RuleDefinition } from './rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

/** What is read of a visitor while a decision is made, in order. */
function readsOf(rules: readonly RuleDefinition[], traits: TestVisitorTraits = {}): readonly string[] {
  const visitor = createTestVisitor(traits);
  compileRules(rules, createRegexGuard()).decide(visitor);
  return visitor.reads;
}

const onPath: RuleCondition = { attribute: 'url_path', operator: 'equals', value: '/a' };
const germany: RuleCondition = { attribute: 'country', operator: 'equals', value: 'DE' };
const france: RuleCondition = { attribute: 'country', operator: 'equals', value: 'FR' };
const iphone: RuleCondition = { attribute: 'user_agent', operator: 'contains', value: 'iPhone' };
const german: RuleCondition = { attribute: 'language', operator: 'equals', value: 'de' };

it.each([
  { name: 'nothing without rules', rules: [], traits: {}, reads: [] },
  { name: 'nothing for a rule that matches everybody', rules: rulesOf([[]]), traits: {}, reads: [] },
  { name: 'only what rules look at', rules: rulesOf([[germany]]), traits: {}, reads: ['country'] },
  {
    name: 'a thing once, however many rules look it up',
    rules: rulesOf([[germany], [france], [germany, france]]),
    traits: { country: 'IT' },
    reads: ['country'],
  },
  {
    name: 'a thing once, however many rules test it in the same way',
    rules: rulesOf([[iphone], [iphone], [iphone, germany]]),
    traits: { userAgent: 'curl/8', country: 'DE' },
    reads: ['country', 'userAgent'],
  },
  {
    name: 'what costs more not when what costs less has excluded all rules',
    rules: rulesOf([[germany, onPath]]),
    traits: { urlPath: '/b' },
    reads: ['urlPath'],
  },
  {
    name: 'what costs more not when only rules are left that do not look at it',
    rules: rulesOf([[onPath], [germany, { ...onPath, value: '/b' }]]),
    traits: { urlPath: '/a' },
    reads: ['urlPath'],
  },
  {
    name: 'what has to be tested only when all lookups hold',
    rules: rulesOf([[iphone, germany]]),
    traits: { country: 'FR' },
    reads: ['country'],
  },
  {
    name: 'nothing of rules that are not in their dates but the clock',
    rules: [ruleOf(1, [germany], { startMs: 1_000 }), ruleOf(2, [onPath, german], { endMs: 10 })],
    traits: { nowMs: 500 },
    reads: ['nowMs'],
  },
])('a decision reads $name', ({ rules, traits, reads }) => {
  expect(readsOf(rules, traits)).toEqual(reads);
});
