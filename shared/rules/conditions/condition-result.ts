import type { RuleCondition } from '../rule-definition.js';

/** A problem of a condition. */
export interface ConditionFault {
  /** Path relative to the condition: `attribute`, `operator`, `value`, `value.3`, `param` or `timezone`. */
  readonly path: string;
  /** Message for the author of the condition: the problem and the accepted values. */
  readonly message: string;
}

export type ConditionResult =
  | { readonly ok: true; readonly condition: RuleCondition }
  | ({ readonly ok: false } & ConditionFault);

/** A condition as received. */
export interface ConditionInput {
  readonly attribute?: unknown;
  readonly operator?: unknown;
  readonly value?: unknown;
  readonly param?: unknown;
  readonly timezone?: unknown;
}
