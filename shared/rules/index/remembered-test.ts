import type { ConditionTest } from '../condition-test.js';
import type { RuleCondition } from '../rule-definition.js';
import type { Visitor } from '../visitor.js';

/** Prepares a condition, as `compileCondition` does. */
export type CompileCondition = (condition: RuleCondition) => ConditionTest | undefined;

/** Tells one decision from the next. */
export interface Turn {
  number: number;
}

/** As `compile`, but equal conditions share a test, which is asked at most once in a turn. */
export function rememberTests(compile: CompileCondition, turn: Turn): CompileCondition {
  const known = new Map<string, ConditionTest | undefined>();
  return (condition) => {
    const { attribute, operator, value, param } = condition;
    const key = JSON.stringify([attribute, operator, value, param]);
    if (known.has(key)) return known.get(key);
    const test = compile(condition);
    const remembered = test === undefined ? undefined : new RememberedTest(test, turn);
    known.set(key, remembered);
    return remembered;
  };
}

class RememberedTest implements ConditionTest {
  private readonly test: ConditionTest;
  private readonly turn: Turn;
  private askedIn = 0;
  private answer = false;

  constructor(test: ConditionTest, turn: Turn) {
    this.test = test;
    this.turn = turn;
  }

  matches(visitor: Visitor): boolean {
    if (this.askedIn !== this.turn.number) {
      this.answer = this.test.matches(visitor);
      this.askedIn = this.turn.number;
    }
    return this.answer;
  }
}
