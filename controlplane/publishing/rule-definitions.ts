import type {
  ConditionLogic,
  RuleAction,
  RuleCondition,
  RuleDefinition,
} from '../../shared/rules/rule-definition.js';

/** The part of a stored rule that decides about visitors. */
export interface DecidingPart {
  readonly id: number;
  readonly conditions: readonly RuleCondition[];
  readonly conditionLogic: ConditionLogic;
  readonly action: RuleAction;
  /** Start and end of the rule, both inclusive; null without a bound. */
  readonly startDate: Date | null;
  readonly endDate: Date | null;
}

/** Returns the rule as data planes need it. */
export function ruleDefinitionOf(rule: DecidingPart): RuleDefinition {
  return {
    id: rule.id,
    conditionLogic: rule.conditionLogic,
    conditions: rule.conditions,
    action: rule.action,
    ...(rule.startDate !== null && { startMs: rule.startDate.getTime() }),
    ...(rule.endDate !== null && { endMs: rule.endDate.getTime() }),
  };
}
