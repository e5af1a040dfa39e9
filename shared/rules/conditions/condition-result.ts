import type { RuleCondition } from '../rule-definition.js';

/** What is wrong with a condition. */
export interface ConditionFault {
  /** Where, from the condition on: `attribute`, `operator`, `value`, `value.3`, `param` or `timezone`. */
  readonly path: string;
  /** What is wrong and what would be accepted: a sentence for whoever wrote the condition. */
  readonly message: string;
}

export type ConditionResult =
  | { readonly ok: true; readonly condition: RuleCondition }
  | ({ readonly ok: false } & ConditionFault);

/** A condition as it was sent. */
export interface ConditionInput {
  readonly attribute?: unknown;
  readonly operator?: unknown;
  readonly value?: unknown;
  readonly param?: unknown;
  readonly timezone?: unknown;
}
