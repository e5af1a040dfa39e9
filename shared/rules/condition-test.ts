import { ATTRIBUTES, type Attribute, isSingleText, type TextReader, type Visitor } from './attributes.js';
import { type ClockMask, clockMaskOf } from './conditions/clock-test.js';
import { isNegative } from './conditions/operators.js';
import { conditionFault } from './conditions/read-condition.js';
import { reachOf, type TextTest, textTestOf } from './conditions/text-test.js';
import { UNBOUNDED, type WorkBound } from './decision-work.js';
import { type TextsReader, textsReader } from './read-attribute.js';
import type { RegexAllowance } from './regex-guard.js';
import type { RuleCondition } from './rule-definition.js';
import { timeZoneKey } from './time-zone.js';

/** One or several conditions prepared for visitors. */
export interface VisitorTest {
  /** Returns whether `visitor` satisfies them. Avoids allocations, and never throws. */
  matches(visitor: Visitor): boolean;
}

/** Cost of moving to the next value, in steps. A step is one character. */
const STEPS_PER_VALUE = 8;

/**
 * Compiles `condition`. Its regex uses the time of `allowance`; without time left, it is compiled when it is first needed.
 *
 * @param bound limits the work of tests. A test that it does not allow counts as not satisfied.
 * @returns undefined for a condition that `parseCondition` refuses. A pattern that is not compiled yet is not checked.
 */
export function compileCondition(
  condition: RuleCondition,
  allowance: RegexAllowance,
  bound: WorkBound = UNBOUNDED,
): VisitorTest | undefined {
  if (conditionFault(condition) !== undefined) return undefined;
  const { attribute, param = '', timezone } = condition;
  if (attribute === 'hour_of_day') return new HourTest(clockMaskOf(condition, 24), timeZoneKey(timezone));
  if (attribute === 'day_of_week') return new WeekdayTest(clockMaskOf(condition, 7), timeZoneKey(timezone));
  const test = textTestOf(condition, allowance);
  if (test === undefined) return undefined;
  const bounded = { test, negative: isNegative(condition.operator), reach: reachOf(condition), bound };
  const readTexts = textsReader(attribute, param);
  return readTexts === undefined
    ? new SingleTextTest(attribute, bounded)
    : new SeveralTextsTest(attribute, readTexts, bounded);
}

interface BoundedTest {
  readonly test: TextTest;
  readonly negative: boolean;
  /** Maximum characters of a text that the test reads. */
  readonly reach: number;
  readonly bound: WorkBound;
}

function readerOf(attribute: Attribute): TextReader {
  return isSingleText(attribute) ? ATTRIBUTES[attribute].read : (visitor) => visitor.address();
}

// Classes keep the number of object shapes in a matcher small.

class BoundedTextTest {
  protected readonly test: TextTest;
  protected readonly negative: boolean;
  protected readonly reach: number;
  protected readonly bound: WorkBound;

  constructor(
    protected readonly attribute: Attribute,
    { test, negative, reach, bound }: BoundedTest,
  ) {
    this.test = test;
    this.negative = negative;
    this.reach = reach;
    this.bound = bound;
  }
}

class SingleTextTest extends BoundedTextTest implements VisitorTest {
  private readonly read: TextReader;

  constructor(attribute: Attribute, bounded: BoundedTest) {
    super(attribute, bounded);
    this.read = readerOf(attribute);
  }

  matches(visitor: Visitor): boolean {
    const text = this.read(visitor);
    if (text === undefined) return this.negative;
    const steps = Math.min(text.length, this.reach);
    return this.bound.allows(this.attribute, steps) && this.test(text) !== this.negative;
  }
}

/** A positive test needs one of the values, a negative one all of them. */
class SeveralTextsTest extends BoundedTextTest implements VisitorTest {
  constructor(
    attribute: Attribute,
    private readonly read: TextsReader,
    bounded: BoundedTest,
  ) {
    super(attribute, bounded);
  }

  matches(visitor: Visitor): boolean {
    const values = this.read(visitor);
    if (!this.bound.allows(this.attribute, stepsThrough(values, this.reach))) return false;
    for (const value of values) {
      if (this.test(value)) return !this.negative;
    }
    return this.negative;
  }
}

function stepsThrough(values: readonly string[], reach: number): number {
  let steps = 0;
  for (const value of values) steps += Math.min(value.length, reach) + STEPS_PER_VALUE;
  return steps;
}

class HourTest implements VisitorTest {
  constructor(
    private readonly hours: ClockMask,
    private readonly timeZone: string | undefined,
  ) {}

  matches(visitor: Visitor): boolean {
    return ((this.hours >> visitor.hourOfDay(this.timeZone)) & 1) === 1;
  }
}

class WeekdayTest implements VisitorTest {
  constructor(
    private readonly days: ClockMask,
    private readonly timeZone: string | undefined,
  ) {}

  matches(visitor: Visitor): boolean {
    return ((this.days >> visitor.dayOfWeek(this.timeZone)) & 1) === 1;
  }
}
