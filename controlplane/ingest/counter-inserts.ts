import type { HitBatch, RedirectCounters } from '../../shared/hits/hit-batch.js';
import type { RowInsert } from '../clickhouse/analytics-store.js';
import { ordinalsByRedirect } from './ordinals-by-redirect.js';

type Row = readonly (string | number | readonly number[])[];

const NOTHING_COUNTED = { requests: 0, recorded: 0, dropped: 0 } as const;

/**
 * What stores the counters of a batch, once its hits are stored; nothing for a kind of which it has none. They also
 * say which hits these were, also when all of them were found in the store: whoever stored them may have been killed
 * before it could.
 *
 * @throws HitLinesError when a row cannot be of this producer
 */
export function counterInserts(batch: HitBatch, rows: string): RowInsert[] {
  const { producerId, sequence, ruleCounters } = batch;
  const deduplicationToken = `${producerId}:${sequence}`;
  const insertInto = (table: string, columns: readonly string[], values: readonly Row[]): RowInsert[] => {
    const lines = values.map((row) => JSON.stringify(row)).join('\n');
    return lines === '' ? [] : [{ table, columns, rows: lines, deduplicationToken }];
  };
  return [
    ...insertInto(
      'redirect_counters',
      ['redirect_id', 'producer_id', 'requests', 'recorded', 'dropped', 'seen_at', 'ordinals'],
      redirectRows(batch, rows),
    ),
    ...insertInto(
      'rule_counters',
      ['redirect_id', 'rule_id', 'variant', 'producer_id', 'hits'],
      ruleCounters.map((of) => [of.redirectId, of.ruleId, of.variant, producerId, of.hits]),
    ),
  ];
}

function redirectRows({ producerId, createdAtMs, counters }: HitBatch, rows: string): Row[] {
  const ordinalsOf = ordinalsByRedirect(rows, producerId);
  const seenAt = Math.floor(createdAtMs / 1_000);
  const counted = new Set(counters.map(({ redirectId }) => redirectId));
  const uncounted = [...ordinalsOf.keys()]
    .filter((redirectId) => !counted.has(redirectId))
    .map((redirectId): RedirectCounters => ({ redirectId, ...NOTHING_COUNTED }));
  return [...counters, ...uncounted].map(({ redirectId, requests, recorded, dropped }) => [
    redirectId,
    producerId,
    requests,
    recorded,
    dropped,
    seenAt,
    ordinalsOf.get(redirectId) ?? [],
  ]);
}
