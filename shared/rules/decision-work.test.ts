import { describe, expect, it } from 'vitest';
import type { Attribute } from './attributes.js';
import { compileRules } from './compile-rules.js';
import { ruleOf, text, upTo } from './decision-time.fixture.js';
import { createRegexGuard } from './regex-guard.js';
import type { RuleCondition } from './rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

const LONG = 'x'.repeat(8_192);
/** As many tests of so long a text as are done. */
const FEASIBLE = 128;
const FOR_EVERYBODY = 9_999;

type MakeCondition = (at: number) => RuleCondition;

/** A rule for each of `count` conditions, and after them one for everybody. */
function matcherOf(count: number, condition: MakeCondition, guard = createRegexGuard()) {
  const rules = [...upTo(count, (at) => ruleOf(at + 1, [condition(at)])), ruleOf(FOR_EVERYBODY, [])];
  return compileRules(rules, guard);
}

const nowhere: MakeCondition = (at) => text('user_agent', 'contains', `y${at}`);
const ofParam = (condition: RuleCondition): RuleCondition => ({ ...condition, param: 'q' });

describe('more rules than a long text can be judged by', () => {
  it.each<{ attribute: Attribute; condition: MakeCondition; traits: TestVisitorTraits }>([
    { attribute: 'user_agent', condition: nowhere, traits: { userAgent: LONG } },
    {
      attribute: 'url_path',
      condition: (at) => text('url_path', 'regex', `y${at}`),
      traits: { urlPath: LONG },
    },
    {
      attribute: 'query_param',
      condition: (at) => ofParam(text('query_param', 'contains', `y${at}`)),
      traits: { query: { q: [LONG.slice(8)] } },
    },
    {
      attribute: 'query_param',
      condition: (at) => ofParam(text('query_param', 'greater_than', at + 9)),
      traits: { query: { q: upTo(8_192 / 9, () => '9') } },
    },
  ])('give up, one rule less decides: $attribute', ({ attribute, condition, traits }) => {
    const feasible = matcherOf(FEASIBLE, condition);
    expect(feasible.decide(createTestVisitor(traits))?.ruleId).toBe(FOR_EVERYBODY);
    expect(feasible.givenUpOn).toBeUndefined();

    const tooMany = matcherOf(FEASIBLE + 1, condition);
    expect(tooMany.decide(createTestVisitor(traits))).toBeUndefined();
    expect(tooMany.givenUpOn).toBe(attribute);
  });

  it('do not take a negative condition for satisfied', () => {
    const matcher = matcherOf(FEASIBLE + 1, (at) =>
      text('user_agent', 'not_contains', `${LONG.slice(0, 2_000 - at)}`),
    );
    expect(matcher.decide(createTestVisitor({ userAgent: LONG }))).toBeUndefined();
    expect(matcher.givenUpOn).toBe('user_agent');
  });

  it('decide for the next visitor again', () => {
    const matcher = matcherOf(FEASIBLE + 1, nowhere);
    matcher.decide(createTestVisitor({ userAgent: LONG }));
    expect(matcher.decide(createTestVisitor({ userAgent: LONG.slice(0, 1_024) }))?.ruleId).toBe(
      FOR_EVERYBODY,
    );
    expect(matcher.givenUpOn).toBeUndefined();
  });

  it('decide where one that comes before matches', () => {
    const matcher = matcherOf(1_000, (at) => text('user_agent', 'contains', at === 100 ? 'xx' : `y${at}`));
    expect(matcher.decide(createTestVisitor({ userAgent: LONG }))?.ruleId).toBe(101);
  });
});

describe('a redirect that has used up its time with long texts', () => {
  const FREE = 32;

  /** A clock that a decision moves on by 10 ms, and a redirect that has made many of them. */
  function spentWith(tests: number) {
    let nowMs = 0;
    const tick = () => {
      nowMs += 10;
      return nowMs;
    };
    const matcher = matcherOf(tests, nowhere, createRegexGuard({ nowMs: tick }));
    const rest = (ms: number) => {
      nowMs += ms;
    };
    const decide = (length: number) =>
      matcher.decide(createTestVisitor({ userAgent: LONG.slice(0, length) }))?.ruleId;
    for (let time = 0; time < 50; time += 1) decide(LONG.length);
    return { decide, rest };
  }

  it('gives up what is feasible else, until it has time again', () => {
    const { decide, rest } = spentWith(FEASIBLE);
    expect(decide(LONG.length)).toBeUndefined();
    rest(3_600_000);
    expect(decide(LONG.length)).toBe(FOR_EVERYBODY);
  });

  it('decides about texts of ordinary length', () => {
    expect(spentWith(FEASIBLE).decide(1_024)).toBe(FOR_EVERYBODY);
  });

  it('has not used up anything with few rules', () => {
    expect(spentWith(FREE).decide(LONG.length)).toBe(FOR_EVERYBODY);
  });
});

describe('more tests than there is time for', () => {
  const AGENT = { userAgent: LONG.slice(0, 160) };

  it('of ordinary texts are done for every visitor up to 10,000, and not charged', () => {
    const guard = createRegexGuard({ nowMs: () => expect.fail('nothing is to be timed') });
    const matcher = matcherOf(10_000, nowhere, guard);
    expect(matcher.decide(createTestVisitor(AGENT))?.ruleId).toBe(FOR_EVERYBODY);
  });

  it('are given up', () => {
    const matcher = matcherOf(50_000, nowhere);
    expect(matcher.decide(createTestVisitor(AGENT))).toBeUndefined();
    expect(matcher.givenUpOn).toBe('user_agent');
  });

  it('are charged before, and given up while the time is used up', () => {
    let nowMs = 0;
    const matcher = matcherOf(20_000, nowhere, createRegexGuard({ nowMs: () => (nowMs += 10) }));
    const decide = () => matcher.decide(createTestVisitor(AGENT))?.ruleId;
    expect(decide()).toBe(FOR_EVERYBODY);
    for (let time = 0; time < 50; time += 1) decide();
    expect(decide()).toBeUndefined();
    nowMs += 3_600_000;
    expect(decide()).toBe(FOR_EVERYBODY);
  });
});

it('texts of ordinary length are judged by thousands of rules', () => {
  const matcher = matcherOf(5_000, nowhere);
  expect(matcher.decide(createTestVisitor({ userAgent: LONG.slice(0, 1_024) }))?.ruleId).toBe(FOR_EVERYBODY);
});

it.each<{ operator: string; condition: MakeCondition; traits: TestVisitorTraits }>([
  {
    operator: 'ends_with',
    condition: (at) => text('user_agent', 'ends_with', `y${at}`),
    traits: { userAgent: LONG },
  },
  {
    operator: 'ends_with of a parameter',
    condition: (at) => ofParam(text('query_param', 'ends_with', `y${at}`)),
    traits: { query: { q: [LONG] } },
  },
  {
    operator: 'starts_with of a parameter',
    condition: (at) => ofParam(text('query_param', 'starts_with', `y${at}`)),
    traits: { query: { q: [LONG] } },
  },
])('long texts of which a test sees one end only are judged by a thousand rules: $operator', (row) => {
  const matcher = matcherOf(1_000, row.condition);
  expect(matcher.decide(createTestVisitor(row.traits))?.ruleId).toBe(FOR_EVERYBODY);
  expect(matcher.givenUpOn).toBeUndefined();
});

it('long values to end with are charged for as far as they reach', () => {
  const matcher = matcherOf(FEASIBLE * 4 + 1, (at) =>
    text('user_agent', 'ends_with', `y${at}`.padEnd(2_048, 'x')),
  );
  expect(matcher.decide(createTestVisitor({ userAgent: LONG }))).toBeUndefined();
  expect(matcher.givenUpOn).toBe('user_agent');
});

it('long texts that are only looked up are judged by any number of rules', () => {
  const matcher = matcherOf(1_000, (at) => text('url_path', 'starts_with', `/${at}`));
  expect(matcher.decide(createTestVisitor({ urlPath: `/${LONG}` }))?.ruleId).toBe(FOR_EVERYBODY);
});
