import type { Visitor } from '../visitor.js';
import { Candidates } from './candidates.js';
import { buildDimension, type Dimension, type SlotRequirement } from './dimension.js';
import { LiveSlots, type SlotPeriod } from './live-slots.js';
import type { Lookup } from './lookup.js';
import { fullRow, RowTable } from './row-table.js';
import { byReadingCost, type Source } from './source.js';

/** What the index needs to know of a slot. */
export interface IndexedSlot {
  readonly lookups: readonly Lookup[];
  /** Unix times in milliseconds, both included; absent without a bound. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/**
 * Finds the slots whose dates and lookups a visitor satisfies without walking them: for each value of each source there
 * is a row with a bit for each slot, and the rows of a visitor's values are intersected (bit vectors as in Lakshman and
 * Stiliadis, "High-Speed Policy-based Packet Forwarding", SIGCOMM 1998).
 */
export class SlotIndex {
  private readonly all: Int32Array;
  private readonly live: LiveSlots | undefined;
  private readonly dimensions: readonly Dimension[];
  private readonly candidates: Candidates;

  constructor(slots: readonly IndexedSlot[]) {
    const table = new RowTable();
    const sources = requirementsBySource(slots);
    const inOrder = [...sources.values()].sort((one, other) => byReadingCost(one.source, other.source));
    this.all = fullRow(slots.length);
    this.live = liveSlots(this.all, slots);
    this.dimensions = inOrder.map(({ source, requirements }) =>
      buildDimension(source, requirements, slots.length, table),
    );
    const union = table.add(this.all);
    this.candidates = new Candidates(table.finish(), this.all.length, union);
  }

  /** The slots that `visitor` satisfies, tests aside; good until the next call. */
  find(visitor: Visitor): Candidates {
    const { candidates } = this;
    candidates.startWith(this.live === undefined ? this.all : this.live.at(visitor.nowMs()));
    for (const dimension of this.dimensions) dimension.narrow(candidates, visitor);
    return candidates;
  }
}

interface SourceRequirements {
  readonly source: Source;
  readonly requirements: SlotRequirement[];
}

function requirementsBySource(slots: readonly IndexedSlot[]): Map<string, SourceRequirements> {
  const byName = new Map<string, SourceRequirements>();
  for (const [slot, { lookups }] of slots.entries()) {
    for (const { source, requirement } of lookups) {
      const known = byName.get(source.name);
      if (known === undefined) byName.set(source.name, { source, requirements: [{ slot, requirement }] });
      else known.requirements.push({ slot, requirement });
    }
  }
  return byName;
}

function liveSlots(all: Int32Array, slots: readonly IndexedSlot[]): LiveSlots | undefined {
  const periods: SlotPeriod[] = [];
  for (const [slot, { startMs, endMs }] of slots.entries()) {
    if (startMs !== undefined || endMs !== undefined) periods.push({ slot, startMs, endMs });
  }
  return periods.length === 0 ? undefined : new LiveSlots(all, periods);
}
