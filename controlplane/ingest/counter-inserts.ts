import type { HitBatch } from '../../shared/hits/hit-batch.js';
import type { RowInsert } from '../clickhouse/analytics-store.js';

type Row = readonly (string | number)[];

/** What stores the counters of a batch; nothing for a kind of which it has none. */
export function counterInserts({ producerId, sequence, counters, ruleCounters }: HitBatch): RowInsert[] {
  const deduplicationToken = `${producerId}:${sequence}`;
  const insertInto = (table: string, columns: readonly string[], rows: readonly Row[]): RowInsert[] => {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    return lines === '' ? [] : [{ table, columns, rows: lines, deduplicationToken }];
  };
  return [
    ...insertInto(
      'redirect_counters',
      ['redirect_id', 'producer_id', 'requests', 'recorded', 'dropped'],
      counters.map((of) => [of.redirectId, producerId, of.requests, of.recorded, of.dropped]),
    ),
    ...insertInto(
      'rule_counters',
      ['redirect_id', 'rule_id', 'variant', 'producer_id', 'hits'],
      ruleCounters.map((of) => [of.redirectId, of.ruleId, of.variant, producerId, of.hits]),
    ),
  ];
}
