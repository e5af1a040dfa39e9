import type { RuleCondition } from '../rule-definition.js';
import { operandEnds, operandTexts } from './operands.js';
import { isInOrder, isNegative, isOrderOperator, positiveOf } from './operators.js';

/** The hours of a day or the days of a week that satisfy a condition. Bit `n` represents hour or day `n`. */
export type ClockMask = number;

/**
 * @param condition valid, on `hour_of_day` or `day_of_week`
 * @param units how many hours or days there are
 */
export function clockMaskOf(condition: RuleCondition, units: number): ClockMask {
  const isSatisfied = clockTest(condition);
  let mask = 0;
  for (let unit = 0; unit < units; unit += 1) {
    if (isSatisfied(unit) !== isNegative(condition.operator)) mask |= 1 << unit;
  }
  return mask;
}

function clockTest(condition: RuleCondition): (unit: number) => boolean {
  const operator = positiveOf(condition.operator);
  if (!isOrderOperator(operator)) {
    const units = new Set(operandTexts(condition).map(Number));
    return (unit) => units.has(unit);
  }
  const [firstText, lastText] = operandEnds(condition);
  const first = Number(firstText);
  const last = Number(lastText);
  // A range such as 22 to 6 continues past the end of the day.
  if (operator === 'between' && first > last) return (unit) => unit >= first || unit <= last;
  return (unit) => isInOrder(operator, unit - first, unit - last);
}
