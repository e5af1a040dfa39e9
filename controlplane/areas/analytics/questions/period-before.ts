import { Type } from 'typebox';
import { timestamp } from '../analytics-schema.js';
import { iso } from '../period.js';
import type { QueryContext } from '../question.js';
import { percentage } from '../ratios.js';

/** `meta` of questions that compare. */
export const PERIOD_BEFORE_META = {
  previousPeriod: Type.Object(
    {
      start: timestamp('First millisecond of the period.'),
      end: timestamp('Last millisecond of the period.'),
    },
    {
      description: 'Period for the comparison. Expired hits do not count.',
    },
  ),
};

/** Schema of a change in percent against the previous period. It may be negative. */
export const changeSchema = (what: string) =>
  Type.Union([
    Type.Number({
      description: `Change of ${what} from the previous period, in percent.`,
    }),
    Type.Null({ description: 'There were none before: such growth has no percentage.' }),
  ]);

/** `meta` of the compared period. */
export function metaOfBefore({ period: { startMs, endMs } }: QueryContext) {
  return { previousPeriod: { start: iso(startMs), end: iso(endMs) } };
}

/** Returns the change from `before` to `now` in percent with two decimals; null for growth from 0. */
export function changeInPercent(now: number, before: number): number | null {
  if (before === 0) return now === 0 ? 0 : null;
  return percentage(now - before, before);
}
