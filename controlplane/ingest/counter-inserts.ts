import type { HitBatch, RedirectCounters, RuleCounters } from '../../shared/hits/hit-batch.js';
import { type ColumnWriter, createFloatColumn, TextColumn } from '../../shared/native/columns.js';
import { beginBlock, beginColumn } from '../../shared/native/native-block.js';
import { NativeWriter } from '../../shared/native/native-writer.js';
import type { RowInsert } from '../storage/clickhouse/analytics-store.js';

const LOW_CARDINALITY = 'LowCardinality(String)';
const NOTHING_COUNTED = { requests: 0, recorded: 0, dropped: 0 } as const;

type Column = readonly [name: string, type: string, write: ColumnWriter];

/**
 * Collects the counters of several batches for one insert per table. They include the ordinals of the hits, also of batches
 * that were stored before: the process that stored them may have been killed before it stored their counters. Storing maxima
 * and sets of ordinals again changes nothing, so the order and number of inserts do not matter.
 */
export function createCounterInserts() {
  const ofRedirects = createRedirectRows();
  const ofRules = createRuleRows();
  const names = new Set<string>();
  return {
    /**
     * Adds the counters of a batch, unless it was added since `clear`.
     *
     * @param ordinals of its hits, by redirect
     */
    add(batch: HitBatch, ordinals: ReadonlyMap<string, Float64Array>): void {
      const name = `${batch.producerId}:${batch.sequence}`;
      if (names.has(name)) return;
      const counted = new Set<string>();
      for (const counters of batch.counters) {
        ofRedirects.add(batch, counters, ordinals.get(counters.redirectId));
        counted.add(counters.redirectId);
      }
      for (const [redirectId, hits] of ordinals) {
        if (!counted.has(redirectId)) ofRedirects.add(batch, { redirectId, ...NOTHING_COUNTED }, hits);
      }
      for (const counters of batch.ruleCounters) ofRules.add(batch, counters);
      names.add(name);
    },
    /** Returns the rows added since `clear`: at most one insert per table. */
    inserts: () => [...ofRedirects.inserts(), ...ofRules.inserts()],
    clear() {
      ofRedirects.clear();
      ofRules.clear();
      names.clear();
    },
  };
}

function createRedirectRows() {
  const [redirects, producers] = [new TextColumn(), new TextColumn()];
  const [requests, recorded, dropped] = [createFloatColumn(), createFloatColumn(), createFloatColumn()];
  /** Unix time in seconds. */
  const seenAt = createFloatColumn();
  /** End of each row in the list of all ordinals. */
  const [ends, ordinals] = [createFloatColumn(), createFloatColumn()];
  const columns: readonly Column[] = [
    ['redirect_id', LOW_CARDINALITY, redirects.write],
    ['producer_id', LOW_CARDINALITY, producers.write],
    ['requests', 'UInt64', (writer) => writer.uint64s(requests.numbers())],
    ['recorded', 'UInt64', (writer) => writer.uint64s(recorded.numbers())],
    ['dropped', 'UInt64', (writer) => writer.uint64s(dropped.numbers())],
    ['seen_at', 'UInt64', (writer) => writer.uint64s(seenAt.numbers())],
    [
      'ordinals',
      'Array(UInt64)',
      (writer) => {
        writer.uint64s(ends.numbers());
        writer.uint64s(ordinals.numbers());
      },
    ],
  ];
  return {
    add(batch: HitBatch, counters: RedirectCounters, hits: Float64Array = new Float64Array()) {
      redirects.add(counters.redirectId);
      producers.add(batch.producerId);
      seenAt.push(Math.floor(batch.createdAtMs / 1_000));
      requests.push(counters.requests);
      recorded.push(counters.recorded);
      dropped.push(counters.dropped);
      for (const ordinal of hits) ordinals.push(ordinal);
      ends.push(ordinals.length);
    },
    inserts: () => insertsOf('redirect_counters', columns, requests.length),
    clear() {
      for (const column of [redirects, producers, requests, recorded, dropped, seenAt, ends, ordinals])
        column.clear();
    },
  };
}

function createRuleRows() {
  const [redirects, variants, producers] = [new TextColumn(), new TextColumn(), new TextColumn()];
  const [rules, hits, humanHits] = [createFloatColumn(), createFloatColumn(), createFloatColumn()];
  /** Unix time in seconds. */
  const seenAt = createFloatColumn();
  const columns: readonly Column[] = [
    ['redirect_id', LOW_CARDINALITY, redirects.write],
    ['rule_id', 'UInt64', (writer) => writer.uint64s(rules.numbers())],
    ['variant', LOW_CARDINALITY, variants.write],
    ['producer_id', LOW_CARDINALITY, producers.write],
    ['hits', 'UInt64', (writer) => writer.uint64s(hits.numbers())],
    ['human_hits', 'UInt64', (writer) => writer.uint64s(humanHits.numbers())],
    ['seen_at', 'UInt64', (writer) => writer.uint64s(seenAt.numbers())],
  ];
  return {
    add({ producerId, createdAtMs }: HitBatch, counters: RuleCounters) {
      redirects.add(counters.redirectId);
      rules.push(counters.ruleId);
      variants.add(counters.variant);
      producers.add(producerId);
      hits.push(counters.hits);
      humanHits.push(counters.humanHits ?? 0);
      seenAt.push(Math.floor(createdAtMs / 1_000));
    },
    inserts: () => insertsOf('rule_counters', columns, rules.length),
    clear() {
      for (const column of [redirects, variants, producers, rules, hits, humanHits, seenAt]) column.clear();
    },
  };
}

function insertsOf(table: string, columns: readonly Column[], rows: number): RowInsert[] {
  if (rows === 0) return [];
  const writer = new NativeWriter();
  beginBlock(writer, columns.length, rows);
  for (const [name, type, write] of columns) {
    beginColumn(writer, name, type);
    write(writer);
  }
  return [{ table, columns: columns.map(([name]) => name), rows: { block: writer.written() } }];
}
