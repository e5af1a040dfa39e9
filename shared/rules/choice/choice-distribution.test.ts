import { describe, expect, it } from 'vitest';
import type { Visitor } from '../attributes.js';
import type { RuleDefinition, Sticky } from '../rule-definition.js';
import { createTestVisitor } from '../visitor.fixture.js';
import { chiSquare, chiSquareLimit, seededDice, visitorIdOf } from './chi-square.fixture.js';
import { abTest, percentage } from './choice-rules.fixture.js';
import { type Choice, compileChoice } from './compile-choice.js';

const VISITORS = 100_000;

/** Calls `meet` with one visitor after the other. */
function meetVisitors(meet: (visitor: Visitor) => void): void {
  let visitorId = '';
  const visitor = {
    ...createTestVisitor(),
    visitorId: () => visitorId,
    cookie: () => undefined,
    draw: seededDice(2_463_534_242),
  };
  for (let number = 0; number < VISITORS; number += 1) {
    visitorId = visitorIdOf(number);
    meet(visitor);
  }
}

/** How many visitors get each of the outcomes. */
function countOutcomes(choice: Choice): number[] {
  const counts = choice.outcomes.map(() => 0);
  meetVisitors((visitor) => {
    counts[choice.choose(visitor)!.index]! += 1;
  });
  return counts;
}

describe.each<Sticky>(['none', 'cookie', 'visitor'])(
  '100,000 visitors of a choice with sticky "%s"',
  (sticky) => {
    it.each([
      { shares: { a: 50, b: 50 } },
      { shares: { a: 1, b: 99 } },
      { shares: { a: 33.3, b: 33.3, c: 33.4 } },
      { shares: { a: 5, b: 10, c: 15, d: 20, e: 50 } },
      { shares: { a: 10, b: 10, c: 10, d: 10, e: 10, f: 10, g: 10, h: 10, i: 10, j: 10 } },
    ])('spread over $shares as they should', ({ shares }) => {
      const weights = Object.values<number>(shares);
      const counts = countOutcomes(compileChoice(abTest(shares, sticky), 0));
      expect(chiSquare(counts, weights)).toBeLessThan(chiSquareLimit(weights.length - 1));
    });

    it('are in and out as a percentage says', () => {
      const counts = countOutcomes(compileChoice(percentage(12.5, sticky), 0));
      expect(chiSquare(counts, [12.5, 87.5])).toBeLessThan(chiSquareLimit(1));
    });
  },
);

it.each([
  {
    kinds: 'two A/B tests',
    one: abTest({ a: 50, b: 50 }, 'visitor', 1),
    other: abTest({ a: 50, b: 50 }, 'visitor', 2),
  },
  {
    kinds: 'an A/B test and a percentage',
    one: abTest({ a: 50, b: 50 }, 'visitor', 1),
    other: percentage(50, 'visitor'),
  },
  {
    kinds: 'A/B tests of several variants',
    one: abTest({ a: 20, b: 80 }, 'visitor', 10),
    other: abTest({ a: 25, b: 25, c: 50 }, 'visitor', 11),
  },
])('what a visitor gets of one rule tells nothing about another: $kinds', ({ one, other }) => {
  const [first, second] = [compileChoice(one, 0), compileChoice(other, 0)];
  const expected = sharesOf(one).flatMap((share) => sharesOf(other).map((otherShare) => share * otherShare));
  const counts = expected.map(() => 0);
  meetVisitors((visitor) => {
    const pair = first.choose(visitor)!.index * second.outcomes.length + second.choose(visitor)!.index;
    counts[pair]! += 1;
  });
  expect(chiSquare(counts, expected)).toBeLessThan(chiSquareLimit(expected.length - 1));
});

function sharesOf({ action }: RuleDefinition): number[] {
  return action.type === 'ab_test' ? action.variants.map((variant) => variant.percentage) : [50, 50];
}
