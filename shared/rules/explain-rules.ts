import type { Attribute, Operator, Visitor } from './attributes.js';
import { compileCondition } from './condition-test.js';
import type { RegexAllowance } from './regex-guard.js';
import type { RuleCondition, RuleDefinition } from './rule-definition.js';

/** Result of one condition. */
export interface ExplainedCondition {
  /** Index within the rule, from 0. */
  readonly index: number;
  readonly attribute: Attribute;
  readonly operator: Operator;
  readonly param?: string;
  readonly timezone?: string;
  readonly matched: boolean;
}

export type RuleExplanationOutcome = 'matched' | 'not_matched' | 'not_started' | 'ended' | 'not_reached';

/** Result of one rule. */
export interface RuleExplanation {
  readonly ruleId: number;
  readonly outcome: RuleExplanationOutcome;
  /** The evaluated conditions, up to the one that decided. */
  readonly conditions: readonly ExplainedCondition[];
  /** Index of the condition that decided: under AND the first that fails, under OR the first that holds. */
  readonly decidedBy: number | null;
}

/**
 * Explains the decision for `visitor`, rule by rule. Rules after the first match are `not_reached`. It evaluates the
 * same compiled conditions as real traffic does.
 *
 * @param rules active rules in order of priority
 * @param nowMs Unix time in milliseconds
 * @param allowance time for regexes; when it is used up they do not match, as in real traffic
 */
export function explainRules(
  rules: readonly RuleDefinition[],
  visitor: Visitor,
  nowMs: number,
  allowance: RegexAllowance,
): RuleExplanation[] {
  let isDecided = false;
  return rules.map((rule) => {
    const outcome = isDecided ? 'not_reached' : outcomeByDate(rule, nowMs);
    if (outcome !== undefined) return { ruleId: rule.id, outcome, conditions: [], decidedBy: null };
    const explanation = explainRule(rule, visitor, allowance);
    isDecided = explanation.outcome === 'matched';
    return explanation;
  });
}

/** Returns undefined for a rule within its dates. */
function outcomeByDate(
  { startMs, endMs }: RuleDefinition,
  nowMs: number,
): 'not_started' | 'ended' | undefined {
  if (startMs !== undefined && nowMs < startMs) return 'not_started';
  return endMs !== undefined && nowMs > endMs ? 'ended' : undefined;
}

function explainRule(rule: RuleDefinition, visitor: Visitor, allowance: RegexAllowance): RuleExplanation {
  const { id: ruleId, conditionLogic } = rule;
  const tests = rule.conditions.map((condition) => ({
    condition,
    test: compileCondition(condition, allowance),
  }));
  const conditions: ExplainedCondition[] = [];
  const end = (isMatch: boolean, decidedBy: number | null): RuleExplanation => ({
    ruleId,
    outcome: isMatch ? 'matched' : 'not_matched',
    conditions,
    decidedBy,
  });
  // As in real traffic, a rule that cannot be compiled never matches.
  if (tests.some(({ test }) => test === undefined)) return end(false, null);
  for (const [index, { condition, test }] of tests.entries()) {
    const matched = test?.matches(visitor) ?? false;
    conditions.push(explainedCondition(index, condition, matched));
    const decides = matched === (conditionLogic === 'OR');
    if (decides) return end(matched, index);
  }
  // AND: all conditions hold. OR: none does. A rule without conditions always matches.
  return end(conditionLogic === 'AND' || conditions.length === 0, null);
}

function explainedCondition(
  index: number,
  { attribute, operator, param, timezone }: RuleCondition,
  matched: boolean,
): ExplainedCondition {
  return {
    index,
    attribute,
    operator,
    ...(param !== undefined && { param }),
    ...(timezone !== undefined && { timezone }),
    matched,
  };
}
