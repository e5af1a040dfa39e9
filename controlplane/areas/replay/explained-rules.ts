import { ATTRIBUTES, isSingleText } from '../../../shared/rules/attributes.js';
import { drawOf, seedOfRule } from '../../../shared/rules/choice/draw.js';
import { boundsOf } from '../../../shared/rules/choice/pick.js';
import { stickyOf } from '../../../shared/rules/choice/sticky.js';
import { textsReader } from '../../../shared/rules/read-attribute.js';
import type { RuleAction, RuleCondition } from '../../../shared/rules/rule-definition.js';
import type { Verdict } from './condition-verdict.js';
import type { Gap } from './gap.js';
import type { Judge, JudgedRule } from './judge.js';
import type { DecidingRule } from './replay-definition.js';
import type { Explanation } from './replay-schema.js';
import type { StoredVisitor } from './stored-visitor.js';
import type { VisitGroup } from './visit-group.js';

const MATCHED: Readonly<Record<Verdict, boolean | null>> = { yes: true, no: false, unknown: null };

/** Explains the rules up to the one that decides. The visitor of the judge has the visit. */
export function explainRules({ rules, visitor }: Judge, named: readonly DecidingRule[]) {
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const explained: Explanation['rules'] = [];
  const gaps: Gap[] = [];
  for (const rule of rules) {
    const { definition, verdict } = rule;
    const judged = verdict.judge(visitor);
    const isDecided = judged.verdict === 'yes' && explained.every(({ matched }) => matched === false);
    explained.push({
      ruleId: definition.id,
      ruleName: names.get(definition.id) ?? '',
      matched: MATCHED[judged.verdict],
      decided: isDecided,
      isLive: isLive(rule, visitor.nowMs()),
      conditions: definition.conditions.map((condition, index) => {
        const { verdict: found, gap } = verdict.conditions[index]?.(visitor) ?? { verdict: 'no' as const };
        if (gap !== undefined) gaps.push(gap);
        return {
          ...shownCondition(condition, index),
          actual: actualOf(visitor, condition),
          matched: MATCHED[found],
        };
      }),
    });
    if (judged.verdict === 'yes') break;
  }
  return { rules: explained, gaps };
}

function shownCondition({ attribute, operator, param, value }: RuleCondition, index: number) {
  return {
    index,
    attribute,
    operator,
    ...(param !== undefined && { param }),
    // A list of values is copied, since answers are not read-only.
    value: value === undefined ? null : Array.isArray(value) ? [...value] : (value as string | number),
  };
}

function isLive({ definition }: JudgedRule, atMs: number): boolean {
  const { startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } = definition;
  return startMs <= atMs && atMs <= endMs;
}

/** Returns the hit's value of a condition's attribute. Several values of a parameter or domain are a list. */
function actualOf(visitor: StoredVisitor, condition: RuleCondition) {
  const actual = readActual(visitor, condition);
  if (Array.isArray(actual)) return actual.length === 0 ? null : [...actual];
  return actual === undefined || actual === '' ? null : (actual as string | number);
}

function readActual(visitor: StoredVisitor, { attribute, param = '', timezone }: RuleCondition) {
  if (attribute === 'hour_of_day') return visitor.hourOfDay(timezone);
  if (attribute === 'day_of_week') return visitor.dayOfWeek(timezone);
  if (attribute === 'ip_address') return visitor.addressPrefix();
  return isSingleText(attribute)
    ? ATTRIBUTES[attribute].read(visitor)
    : textsReader(attribute, param)?.(visitor);
}

/**
 * Explains the choice of the rule that decided then. Hits of earlier releases do not record whether a draw was made.
 */
export function choiceOf(hit: VisitGroup, rules: readonly DecidingRule[]): Explanation['choice'] {
  const action = rules.find(({ id }) => id === hit.rule_id)?.action;
  if (action === undefined || action.type === 'redirect') return null;
  const sticky = stickyOf(action);
  const { variant, query_recording } = hit;
  const draw = (sticky === 'visitor' ? computedDraw(hit, action) : hit.draw) ?? 0;
  const saysDraw = query_recording !== '';
  return {
    sticky,
    draw: draw === 0 ? null : draw,
    bucket: draw === 0 ? null : bucketOf(action, draw),
    remembered: sticky === 'cookie' ? (saysDraw ? draw === 0 : null) : false,
    variant: variant === '' ? null : variant,
  };
}

/** Returns the draw of the visitor for a percentage. The variants of an A/B test have a draw each, without ranges. */
function computedDraw({ visitor = '', rule_id }: VisitGroup, { type }: RuleAction): number | undefined {
  return type === 'percentage_redirect' && visitor !== '' ? drawOf(visitor, seedOfRule(rule_id)) : undefined;
}

/** Returns the range of draws that lead to the same outcome as this one. */
function bucketOf(action: Exclude<RuleAction, { type: 'redirect' }>, draw: number): [number, number] {
  const shares =
    action.type === 'percentage_redirect'
      ? [action.percentage, 100 - action.percentage]
      : action.variants.map(({ percentage }) => percentage);
  const bounds = [0, ...boundsOf(shares), 1];
  const end = bounds.findIndex((bound, index) => index > 0 && (draw < bound || index === bounds.length - 1));
  return [bounds[end - 1] ?? 0, bounds[end] ?? 1];
}
