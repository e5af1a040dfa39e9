import { type Static, Type } from 'typebox';
import type { QueryContext } from '../question.js';
import { type ListOptions, type RankedList, type RankedRow, rankedList } from '../ranked-list.js';
import { rowCounts, withShares } from './list-rows.js';

/** Columns of a ranked list beside its keys. */
export const LIST_COUNTS = rowCounts('all hits of the list, including rows beyond its end');

export const LIST_ORDER = 'Sorted by hits, then by key.';

/** The key with the most hits; null without one. */
export const topKey = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

const CountsSchema = Type.Object(LIST_COUNTS);

export interface RankedShares<Key extends string, Other extends string>
  extends Omit<RankedList<Key, never, Other>, 'rows'> {
  readonly rows: (RankedRow<Key> & Static<typeof CountsSchema>)[];
}

/** A ranked list whose rows have percentages of the hits that it covers. */
export async function rankedShares<Key extends string, Other extends string = never>(
  context: QueryContext,
  options: ListOptions<Key, never, Other>,
): Promise<RankedShares<Key, Other>> {
  const { rows, ...totals } = await rankedList(context, options);
  return { ...totals, rows: withShares(rows, totals.totalHits) };
}
