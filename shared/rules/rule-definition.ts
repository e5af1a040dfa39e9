import type { Attribute, Operator } from './attributes.js';
import type { RedirectStatusCode } from './redirect-status.js';

export type ConditionValue = string | number;

/** One test of one attribute, as the API takes and shows it. `conditions/value-fault.ts` has the shapes of `value`. */
export interface RuleCondition {
  readonly attribute: Attribute;
  readonly operator: Operator;
  /** Absent for `exists` and `not_exists`. */
  readonly value?: ConditionValue | readonly ConditionValue[];
  /** Name of the query parameter; present exactly with `query_param`. */
  readonly param?: string;
  /** IANA name, of the clock that `hour_of_day` and `day_of_week` are read from; UTC without. On no other attribute. */
  readonly timezone?: string;
}

/** `AND`: all conditions must hold. `OR`: at least one. Without any condition a rule matches everybody. */
export type ConditionLogic = 'AND' | 'OR';

/**
 * How a choice is remembered: in a cookie; not at all, but computed from who the visitor is; or drawn anew for
 * each request.
 */
export type Sticky = 'cookie' | 'visitor' | 'none';

/** Whether path and query are taken over. A switch that is absent is that of the redirect. */
export interface ForwardingSwitches {
  readonly pathForwarding?: boolean;
  readonly queryForwarding?: boolean;
}

/** How a visitor is sent on, where an action or a variant may say so. */
export interface SendingOptions extends ForwardingSwitches {
  /** Absent: that of the redirect for a `redirect` action, otherwise `DRAWN_STATUS_CODE`. */
  readonly statusCode?: RedirectStatusCode;
}

/** Where a rule leads. */
export interface RuleTarget extends SendingOptions {
  readonly url: string;
}

export interface RuleVariant extends RuleTarget {
  /** Distinct within its rule. */
  readonly name: string;
  /** Over 0; those of a rule sum to 100. */
  readonly percentage: number;
}

export interface ForceAction extends RuleTarget {
  readonly type: 'redirect';
}

/** Sends a share of the visitors on; the others get the redirect's own destination. */
export interface PercentageAction extends RuleTarget {
  readonly type: 'percentage_redirect';
  /** Over 0, to 100. */
  readonly percentage: number;
  readonly sticky?: Sticky;
}

/** Its options are those of variants that have none of their own. */
export interface AbTestAction extends SendingOptions {
  readonly type: 'ab_test';
  /** 2 to 10. */
  readonly variants: readonly RuleVariant[];
  readonly sticky?: Sticky;
}

/** An action whose outcome is drawn. Without `sticky` its choice is remembered as `stickyOf` says. */
export type DrawingAction = PercentageAction | AbTestAction;

export type RuleAction = ForceAction | DrawingAction;

/**
 * What the data plane needs to know of one active rule. Immutable. Values are validated where they enter the
 * system; one that nevertheless cannot be compiled never matches.
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
