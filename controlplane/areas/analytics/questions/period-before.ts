import { Type } from 'typebox';
import { timestamp } from '../analytics-schema.js';
import { iso } from '../period.js';
import type { QueryContext } from '../question.js';
import { percentage } from '../ratios.js';

/** `meta` of questions that compare. */
export const PERIOD_BEFORE_META = {
  previousPeriod: Type.Object(
    { start: timestamp('First millisecond.'), end: timestamp('Last millisecond.') },
    {
      description: 'What the period is compared with. Hits that the plan no longer keeps are not counted.',
    },
  ),
};

/** How much more or less than before, in percent; may be negative. */
export const changeSchema = (what: string) =>
  Type.Union([
    Type.Number({
      description: `Change of ${what} against the period before, in percent.`,
    }),
    Type.Null({ description: 'There were none before: such growth has no percentage.' }),
  ]);

/** `meta` for what a question is compared with. */
export function metaOfBefore({ period: { startMs, endMs } }: QueryContext) {
  return { previousPeriod: { start: iso(startMs), end: iso(endMs) } };
}

/** Returns the change from `before` to `now` in percent with two decimals; null for growth from 0. */
export function changeInPercent(now: number, before: number): number | null {
  if (before === 0) return now === 0 ? 0 : null;
  return percentage(now - before, before);
}
