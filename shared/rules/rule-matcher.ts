import type { Attribute, Visitor } from './attributes.js';
import type { RedirectStatusCode } from './redirect-status.js';
import type { RuleTarget } from './rule-definition.js';

/** One possible result of a rule. It is created when the rule is compiled, so a decision allocates nothing. */
export interface RuleOutcome {
  /**
   * Index in `RuleMatcher.outcomes`, for callers that keep something per outcome. An outcome that sets a cookie has the
   * index of the same outcome without a cookie.
   */
  readonly index: number;
  readonly ruleId: number;
  /** Name of the variant; empty unless the rule is an A/B test. */
  readonly variant: string;
  /** Undefined for a visitor outside a percentage: the redirect's own destination applies. */
  readonly target: RuleTarget | undefined;
  /** Status of the answer; undefined for the redirect's own. */
  readonly statusCode: RedirectStatusCode | undefined;
  /** The `Set-Cookie` value, if the choice must be remembered and the request has no cookie for it. */
  readonly setCookie: string | undefined;
}

/** The compiled rules of one redirect. Immutable, except for caches. */
export interface RuleMatcher {
  /** Every outcome once, without cookies. */
  readonly outcomes: readonly RuleOutcome[];
  /**
   * The attribute that cancelled the last decision, because it was too long to be tested against so many rules.
   * Undefined after a completed decision.
   */
  readonly givenUpOn: Attribute | undefined;
  /**
   * Returns the outcome of the first rule that matches. Returns undefined if no rule matches or the decision was
   * cancelled. Never throws.
   */
  decide(visitor: Visitor): RuleOutcome | undefined;
}
