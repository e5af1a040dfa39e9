import type { Attribute } from './attributes.js';
import type { RedirectStatusCode } from './redirect-status.js';
import type { RuleTarget } from './rule-definition.js';
import type { Visitor } from './visitor.js';

/** One of the few ways in which a rule can end. Made when the rule is compiled, so that deciding allocates nothing. */
export interface RuleOutcome {
  /**
   * Place in `RuleMatcher.outcomes`, for whoever keeps something for each outcome. An outcome that sets a cookie
   * has the index of its twin that does not.
   */
  readonly index: number;
  readonly ruleId: number;
  /** Name of the variant; empty unless the rule is an A/B test. */
  readonly variant: string;
  /** Undefined for a visitor outside a percentage: the redirect's own destination applies. */
  readonly target: RuleTarget | undefined;
  /** Of the answer; undefined for that of the redirect. */
  readonly statusCode: RedirectStatusCode | undefined;
  /** A whole `Set-Cookie` value when the choice is to be remembered and the visitor has not brought it. */
  readonly setCookie: string | undefined;
}

/** The rules of one redirect, prepared for deciding. Immutable, but for memories of what it has worked out. */
export interface RuleMatcher {
  /** Every outcome once, those without a cookie to set. */
  readonly outcomes: readonly RuleOutcome[];
  /**
   * What the visitor sent too much of for so many rules to be judged, so that the last decision was given up;
   * undefined where it was made.
   */
  readonly givenUpOn: Attribute | undefined;
  /** The outcome of the first rule that matches; undefined when none does, or on giving up. Never throws. */
  decide(visitor: Visitor): RuleOutcome | undefined;
}
