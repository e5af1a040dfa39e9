import type { Visitor } from '../attributes.js';
import type { VisitorTest } from '../condition-test.js';
import type { DecisionWork } from '../decision-work.js';
import type { RuleCondition } from '../rule-definition.js';
import { nameOfCondition } from './names.js';

/** Prepares a condition, as `compileCondition` does. */
export type CompileCondition = (condition: RuleCondition) => VisitorTest | undefined;

/** Wraps `compile`: equal conditions then share one test. The test runs at most once per turn of `work`. */
export function rememberTests(compile: CompileCondition, work: DecisionWork): CompileCondition {
  const known = new Map<string, VisitorTest | undefined>();
  return (condition) => {
    const name = nameOfCondition(condition);
    if (known.has(name)) return known.get(name);
    const test = compile(condition);
    const remembered = test === undefined ? undefined : new RememberedTest(test, work);
    known.set(name, remembered);
    return remembered;
  };
}

class RememberedTest implements VisitorTest {
  private askedIn = 0;
  private answer = false;

  constructor(
    private readonly test: VisitorTest,
    private readonly work: DecisionWork,
  ) {}

  matches(visitor: Visitor): boolean {
    const { turn } = this.work;
    if (this.askedIn !== turn) {
      this.answer = this.test.matches(visitor);
      this.askedIn = turn;
    }
    return this.answer;
  }
}
