import type { VisitorTest } from '../condition-test.js';
import type { Visitor } from '../visitor.js';

/** Returns a test that all of `tests` must pass; undefined without any. */
export function allTests(tests: readonly VisitorTest[]): VisitorTest | undefined {
  return tests.length < 2 ? tests[0] : new AllTests(tests);
}

/** Returns a test that one of `tests` must pass; undefined without any. */
export function anyTest(tests: readonly VisitorTest[]): VisitorTest | undefined {
  return tests.length < 2 ? tests[0] : new AnyTest(tests);
}

class AllTests implements VisitorTest {
  private readonly tests: readonly VisitorTest[];

  constructor(tests: readonly VisitorTest[]) {
    this.tests = tests;
  }

  matches(visitor: Visitor): boolean {
    for (const test of this.tests) if (!test.matches(visitor)) return false;
    return true;
  }
}

class AnyTest implements VisitorTest {
  private readonly tests: readonly VisitorTest[];

  constructor(tests: readonly VisitorTest[]) {
    this.tests = tests;
  }

  matches(visitor: Visitor): boolean {
    for (const test of this.tests) if (test.matches(visitor)) return true;
    return false;
  }
}
