import type { ConditionLogic, RuleAction, RuleCondition } from '../../../shared/rules/rule-definition.js';

export type RuleType = 'force' | 'percentage' | 'ab_experiment';
export type RuleStatus = 'active' | 'inactive' | 'draft';
export type RuleMetadata = Readonly<Record<string, string | number | boolean>>;

/** Settings of a rule that its owner chooses. */
export interface RuleSettings {
  readonly name: string;
  readonly description: string;
  readonly type: RuleType;
  readonly conditions: readonly RuleCondition[];
  readonly conditionLogic: ConditionLogic;
  /** Action of the kind that belongs to `type`. */
  readonly action: RuleAction;
  readonly status: RuleStatus;
  /** Start and end of the rule, both inclusive; null without a bound. */
  readonly startDate: Date | null;
  readonly endDate: Date | null;
  readonly metadata: RuleMetadata;
}

/** A stored rule. */
export interface Rule extends RuleSettings {
  readonly id: number;
  readonly redirectId: string;
  /** Priority from 1 on; the lower number is evaluated first. Distinct within a redirect. */
  readonly priority: number;
  /** Id of the user who created it. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Grows with each change. */
  readonly version: number;
}
