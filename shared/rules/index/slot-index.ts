import type { Visitor } from '../visitor.js';
import { type Candidates, FewCandidates, ManyCandidates } from './candidates.js';
import { buildDimension, type Dimension, type DimensionParts, type SlotRequirement } from './dimension.js';
import { LiveSlots, type SlotPeriod } from './live-slots.js';
import type { Lookup } from './lookup.js';
import { BITS, fullRow, type RowRef, RowTable, SINGLE_WORDS } from './row-table.js';
import { byReadingCost } from './source.js';

/** The properties of a slot that the index uses. */
export interface IndexedSlot {
  /** Each of another source. */
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
export interface SlotIndex {
  /** The slots that `visitor` satisfies, tests aside; good until the next call. */
  find(visitor: Visitor): Candidates;
}

export function createSlotIndex(slots: readonly IndexedSlot[]): SlotIndex {
  return slots.length <= BITS ? createFewSlots(slots, fewSlotsDimension) : new ManySlots(slots);
}

/** As many slots as a word has bits at most. */
export function createFewSlots(
  slots: readonly IndexedSlot[],
  dimensionOf: (parts: DimensionParts) => Dimension,
): SlotIndex {
  return new FewSlots(slots, dimensionsOf(slots, dimensionOf));
}

/** A dimension of few slots, which stands for itself: it is the same in all indexes with the same parts. */
export function fewSlotsDimension(parts: DimensionParts): Dimension {
  return buildDimension(parts, SINGLE_WORDS);
}

/** The index of as many slots as a word has bits: without any table, which takes more memory than ten rules else. */
class FewSlots implements SlotIndex {
  private readonly all: RowRef;
  private readonly live: LiveSlots | undefined;
  private readonly dimensions: readonly Dimension[];
  private readonly candidates = new FewCandidates();

  constructor(slots: readonly IndexedSlot[], dimensions: readonly Dimension[]) {
    const all = fullRow(slots.length);
    this.all = SINGLE_WORDS.add(all);
    this.live = liveSlots(all, slots);
    this.dimensions = dimensions;
  }

  find(visitor: Visitor): Candidates {
    const { all, live, dimensions, candidates } = this;
    candidates.startWith(live === undefined ? all : SINGLE_WORDS.add(live.at(visitor.nowMs())));
    for (const dimension of dimensions) dimension.narrow(candidates, visitor);
    return candidates;
  }
}

class ManySlots implements SlotIndex {
  private readonly all: Int32Array;
  private readonly live: LiveSlots | undefined;
  private readonly dimensions: readonly Dimension[];
  private readonly candidates: ManyCandidates;

  constructor(slots: readonly IndexedSlot[]) {
    const table = new RowTable();
    this.all = fullRow(slots.length);
    this.live = liveSlots(this.all, slots);
    this.dimensions = dimensionsOf(slots, (parts) => buildDimension(parts, table));
    const union = table.add(this.all);
    this.candidates = new ManyCandidates(table.finish(), this.all.length, union);
  }

  find(visitor: Visitor): Candidates {
    const { all, live, dimensions, candidates } = this;
    candidates.startWith(live === undefined ? all : live.at(visitor.nowMs()));
    for (const dimension of dimensions) dimension.narrow(candidates, visitor);
    return candidates;
  }
}

function dimensionsOf(
  slots: readonly IndexedSlot[],
  dimensionOf: (parts: DimensionParts) => Dimension,
): Dimension[] {
  const inOrder = [...requirementsBySource(slots).values()].sort((one, other) =>
    byReadingCost(one.source, other.source),
  );
  return inOrder.map(dimensionOf);
}

function requirementsBySource(slots: readonly IndexedSlot[]): Map<string, DimensionParts> {
  const slotCount = slots.length;
  const byName = new Map<string, DimensionParts & { readonly requirements: SlotRequirement[] }>();
  for (const [slot, { lookups }] of slots.entries()) {
    for (const { source, requirement } of lookups) {
      const known = byName.get(source.name);
      if (known !== undefined) known.requirements.push({ slot, requirement });
      else byName.set(source.name, { source, slotCount, requirements: [{ slot, requirement }] });
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
