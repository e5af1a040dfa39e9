import type {
  ConditionLogic,
  RuleAction,
  RuleCondition,
  RuleDefinition,
} from '../../shared/rules/rule-definition.js';

/** The part of a stored rule that data planes need. */
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
  const { id, conditionLogic, conditions, action, startDate, endDate } = rule;
  const definition = { id, conditionLogic, conditions, action };
  if (startDate === null && endDate === null) return definition;
  return {
    ...definition,
    ...(startDate !== null && { startMs: startDate.getTime() }),
    ...(endDate !== null && { endMs: endDate.getTime() }),
  };
}
