import type { Attribute } from './attributes.js';
import type { RedirectAllowances, TimeAllowance } from './regex-guard.js';

/**
 * Maximum work of one decision's tests of long texts, in steps. A step is one look at one character. It takes 15 ns at
 * worst and usually less than 1 ns.
 */
const MAX_STEPS = 2 ** 20;
/** Steps that are not charged to the redirect's allowance. They are also allowed while it is used up. */
const FREE_STEPS = 2 ** 18;
/**
 * Tests of at most this many steps are counted separately, with a much higher limit. Ordinary visitors send no longer
 * texts.
 */
const MAX_BRIEF_STEPS = 1_024;
/** Fixed cost of a test beside its steps, mostly for loading it from memory. */
const STEPS_PER_TEST = 256;
/** Limits of brief tests, like `MAX_STEPS` and `FREE_STEPS` for long ones. 10,000 tests of 160 characters are free. */
const MAX_BRIEF_WORK = 2 ** 24;
const FREE_BRIEF_WORK = 2 ** 22;

/** Bounds the work of tests. */
export interface WorkBound {
  /** Returns whether a test of `steps` on `attribute` is allowed. After the first refusal all are refused. */
  allows(attribute: Attribute, steps: number): boolean;
}

/** No limit, for texts that are bounded elsewhere. */
export const UNBOUNDED: WorkBound = { allows: () => true };

/**
 * Bounds the work of the current decision. Rules may have any number of tests and visitors send texts of any length, so
 * their product needs a limit. A decision over the limit is abandoned as a whole: judging part of a text or skipping a
 * test would decide wrongly.
 */
export class DecisionWork implements WorkBound {
  /** Number of the decision. */
  turn = 0;
  /** The attribute of the first test that exceeded the limit; undefined before that. */
  exceededBy: Attribute | undefined;
  private stepsLeft = MAX_STEPS;
  private briefWork = 0;
  private chargedFromMs: number | undefined;
  /**
   * Allowance that all decisions of the redirect share. Created by the first decision that needs it, because few do.
   */
  private allowance: TimeAllowance | undefined;

  constructor(private readonly allowances: Pick<RedirectAllowances, 'timeAllowance'>) {}

  begin(): void {
    this.turn += 1;
    this.exceededBy = undefined;
    this.stepsLeft = MAX_STEPS;
    this.briefWork = 0;
  }

  end(): void {
    if (this.chargedFromMs === undefined) return;
    this.allowance?.spend(this.allowance.nowMs() - this.chargedFromMs);
    this.chargedFromMs = undefined;
  }

  allows(attribute: Attribute, steps: number): boolean {
    if (this.exceededBy !== undefined) return false;
    if (steps <= MAX_BRIEF_STEPS ? this.allowsBrief(steps) : this.allowsLong(steps)) return true;
    this.exceededBy = attribute;
    return false;
  }

  private allowsBrief(steps: number): boolean {
    this.briefWork += STEPS_PER_TEST + steps;
    return this.briefWork <= FREE_BRIEF_WORK || (this.briefWork <= MAX_BRIEF_WORK && this.isCharged());
  }

  private allowsLong(steps: number): boolean {
    this.stepsLeft -= steps;
    return this.stepsLeft >= MAX_STEPS - FREE_STEPS || (this.stepsLeft >= 0 && this.isCharged());
  }

  /** Charges the rest of the decision, unless it is charged already. Returns false while the allowance is used up. */
  private isCharged(): boolean {
    if (this.chargedFromMs !== undefined) return true;
    this.allowance ??= this.allowances.timeAllowance();
    if (this.allowance.isSpent()) return false;
    this.chargedFromMs = this.allowance.nowMs();
    return true;
  }
}
