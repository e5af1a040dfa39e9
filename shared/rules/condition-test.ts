import type { Attribute } from './attributes.js';
import { type ClockMask, clockMaskOf } from './conditions/clock-test.js';
import { isNegative } from './conditions/operators.js';
import { readCondition } from './conditions/read-condition.js';
import { type TextTest, textTestOf } from './conditions/text-test.js';
import { isTextAttribute, READERS, type TextReader } from './read-attribute.js';
import type { RegexAllowance } from './regex-guard.js';
import type { RuleCondition } from './rule-definition.js';
import type { Visitor } from './visitor.js';

/** A condition prepared for visitors. */
export interface ConditionTest {
  /** Whether `visitor` satisfies the condition. Allocates nothing that can be avoided, and never throws. */
  matches(visitor: Visitor): boolean;
}

/**
 * Prepares `condition`, whose regex draws on `allowance`. Patterns for which there is no time now are compiled
 * when they are first needed.
 *
 * @returns undefined for what `parseCondition` refuses, as far as there was time to find out
 */
export function compileCondition(
  condition: RuleCondition,
  allowance: RegexAllowance,
): ConditionTest | undefined {
  if (!readCondition(condition).ok) return undefined;
  const { attribute, param = '' } = condition;
  if (attribute === 'hour_of_day') return new HourTest(clockMaskOf(condition, 24));
  if (attribute === 'day_of_week') return new WeekdayTest(clockMaskOf(condition, 7));
  const test = textTestOf(condition, allowance);
  if (test === undefined) return undefined;
  const negative = isNegative(condition.operator);
  if (attribute === 'query_param') return new QueryParamTest(param, test, negative);
  return new SingleTextTest(readerOf(attribute), test, negative);
}

function readerOf(attribute: Attribute): TextReader {
  return isTextAttribute(attribute) ? READERS[attribute] : (visitor) => visitor.address();
}

// Classes, so that a matcher meets few shapes.

class SingleTextTest implements ConditionTest {
  private readonly read: TextReader;
  private readonly test: TextTest;
  private readonly negative: boolean;

  constructor(read: TextReader, test: TextTest, negative: boolean) {
    this.read = read;
    this.test = test;
    this.negative = negative;
  }

  matches(visitor: Visitor): boolean {
    const text = this.read(visitor);
    return text === undefined ? this.negative : this.test(text) !== this.negative;
  }
}

/** A positive test needs one of the values, a negative one all of them. */
class QueryParamTest implements ConditionTest {
  private readonly param: string;
  private readonly test: TextTest;
  private readonly negative: boolean;

  constructor(param: string, test: TextTest, negative: boolean) {
    this.param = param;
    this.test = test;
    this.negative = negative;
  }

  matches(visitor: Visitor): boolean {
    for (const value of visitor.queryValues(this.param)) {
      if (this.test(value)) return !this.negative;
    }
    return this.negative;
  }
}

class HourTest implements ConditionTest {
  private readonly hours: ClockMask;

  constructor(hours: ClockMask) {
    this.hours = hours;
  }

  matches(visitor: Visitor): boolean {
    return ((this.hours >> visitor.hourOfDay()) & 1) === 1;
  }
}

class WeekdayTest implements ConditionTest {
  private readonly days: ClockMask;

  constructor(days: ClockMask) {
    this.days = days;
  }

  matches(visitor: Visitor): boolean {
    return ((this.days >> visitor.dayOfWeek()) & 1) === 1;
  }
}
