import type { Attribute, Operator } from './attributes.js';
import type { RedirectStatusCode } from './redirect-status.js';

export type ConditionValue = string | number;

/** One test of one attribute, as in the API. `conditions/value-fault.ts` defines the shapes of `value`. */
export interface RuleCondition {
  readonly attribute: Attribute;
  readonly operator: Operator;
  /** Absent for `exists` and `not_exists`. */
  readonly value?: ConditionValue | readonly ConditionValue[];
  /** Name of the query parameter. Present only for `query_param`, and required there. */
  readonly param?: string;
  /** IANA time zone for `hour_of_day` and `day_of_week`; UTC when absent. Other attributes must not have it. */
  readonly timezone?: string;
}

/** `AND`: all conditions must match. `OR`: at least one must match. A rule without conditions matches every visitor. */
export type ConditionLogic = 'AND' | 'OR';

/** Memory of a choice: a cookie, the visitor's id, or none. With none, each request gets a new draw. */
export type Sticky = 'cookie' | 'visitor' | 'none';

/** Whether path and query are forwarded. An absent switch has the redirect's value. */
export interface ForwardingSwitches {
  readonly pathForwarding?: boolean;
  readonly queryForwarding?: boolean;
}

/** Options of a Location that an action or a variant may set. */
export interface SendingOptions extends ForwardingSwitches {
  /** Status of the answer. Default: the redirect's status for a `redirect` action, otherwise `DRAWN_STATUS_CODE`. */
  readonly statusCode?: RedirectStatusCode;
}

/** Destination of a rule. */
export interface RuleTarget extends SendingOptions {
  readonly url: string;
}

export interface RuleVariant extends RuleTarget {
  /** Distinct within its rule. */
  readonly name: string;
  /** Above 0. The percentages of a rule sum to 100. */
  readonly percentage: number;
}

export interface ForceAction extends RuleTarget {
  readonly type: 'redirect';
}

/** An action that redirects a share of the visitors. The others get the redirect's own destination. */
export interface PercentageAction extends RuleTarget {
  readonly type: 'percentage_redirect';
  /** Above 0, at most 100. */
  readonly percentage: number;
  readonly sticky?: Sticky;
}

/** An A/B test. Its options apply to variants without such options. */
export interface AbTestAction extends SendingOptions {
  readonly type: 'ab_test';
  /** 2 to 10. */
  readonly variants: readonly RuleVariant[];
  readonly sticky?: Sticky;
}

/** An action with a random outcome. Without `sticky`, `stickyOf` returns the default memory of the choice. */
export type DrawingAction = PercentageAction | AbTestAction;

export type RuleAction = ForceAction | DrawingAction;

/**
 * One active rule as the data plane needs it. Immutable. Values are validated at the API. A rule that still cannot be
 * compiled never matches.
 */
export interface RuleDefinition {
  /** Unique in the installation. */
  readonly id: number;
  readonly conditionLogic: ConditionLogic;
  readonly conditions: readonly RuleCondition[];
  readonly action: RuleAction;
  /** Unix time in milliseconds, both ends included; absent without a bound. */
  readonly startMs?: number;
  readonly endMs?: number;
}
