import type { RuleAction } from '../../../shared/rules/rule-definition.js';
import type { Period } from '../analytics/public.js';
import { type Definition, definitionOf } from './experiment.js';

/** A change of a rule's action. */
export interface ActionChange {
  readonly atMs: number;
  readonly before: RuleAction;
}

/** A part of a period in which the experiment did not change. */
export interface Segment extends Period {
  /** Undefined while the rule was not an experiment. */
  readonly definition: Definition | undefined;
}

/**
 * Splits a period at changes of variants, weights or destinations.
 *
 * @param changes oldest first
 * @returns at least one segment; the last one has the newest definition of the period
 */
export function segmentsOf(
  period: Period,
  changes: readonly ActionChange[],
  current: RuleAction,
): [Segment, ...Segment[]] {
  const inForce = [...changes.map(({ before }) => before), current].map(definitionOf);
  const last = inForce.at(-1);
  const segments: Segment[] = [];
  let startMs = period.startMs;
  changes.forEach(({ atMs }, index) => {
    const [before, after] = [inForce[index], inForce[index + 1]];
    const isSame = before?.signature === after?.signature;
    if (isSame || atMs <= startMs || atMs > period.endMs) return;
    segments.push({ startMs, endMs: atMs - 1, definition: before });
    startMs = atMs;
  });
  // The definition at the end of the period, which may be before the newest changes.
  const later = changes.findIndex(({ atMs }) => atMs > period.endMs);
  const definition = later === -1 ? last : inForce[later];
  const [first = { startMs, endMs: period.endMs, definition }, ...others] = [
    ...segments,
    { startMs, endMs: period.endMs, definition },
  ];
  return [first, ...others];
}
