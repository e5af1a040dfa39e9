import type { Visitor } from '../attributes.js';
import { ArrayBitset, type Candidates, WordBitset } from './candidates.js';
import { buildDimension, type ClauseRequirement, type Dimension, type DimensionParts } from './dimension.js';
import { type ClausePeriod, LiveClauses } from './live-clauses.js';
import type { Lookup } from './lookup.js';
import { BITS, fullRow, type RowRef, RowTable, SINGLE_WORDS } from './row-table.js';
import { byReadingCost } from './source.js';

/** The properties of a clause that the index uses. */
export interface IndexedClause {
  /** Each has a different source. */
  readonly lookups: readonly Lookup[];
  /** Unix times in milliseconds, both included; absent without a bound. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/**
 * Finds the clauses whose dates and lookups a visitor satisfies, without iterating over the clauses. Each value of each
 * source has a row with one bit per clause. The index intersects the rows of the visitor's values (bit vectors as in
 * Lakshman and Stiliadis, "High-Speed Policy-based Packet Forwarding", SIGCOMM 1998).
 */
export interface ClauseIndex {
  /** Returns the clauses that `visitor` satisfies apart from tests. Valid until the next call. */
  find(visitor: Visitor): Candidates;
}

export function createClauseIndex(clauses: readonly IndexedClause[]): ClauseIndex {
  return clauses.length <= BITS ? createFewClauses(clauses, fewClausesDimension) : new ManyClauses(clauses);
}

/** Creates an index of few clauses: at most one per bit of a word. */
export function createFewClauses(
  clauses: readonly IndexedClause[],
  dimensionOf: (parts: DimensionParts) => Dimension,
): ClauseIndex {
  return new FewClauses(clauses, dimensionsOf(clauses, dimensionOf));
}

/** A dimension of few clauses. All indexes with the same parts share it. */
export function fewClausesDimension(parts: DimensionParts): Dimension {
  return buildDimension(parts, SINGLE_WORDS);
}

/**
 * An index of at most 32 clauses, the bits of one word. It needs no table, which would take more memory than ten rules.
 */
class FewClauses implements ClauseIndex {
  private readonly all: RowRef;
  private readonly live: LiveClauses | undefined;
  private readonly candidates = new WordBitset();

  constructor(
    clauses: readonly IndexedClause[],
    private readonly dimensions: readonly Dimension[],
  ) {
    const all = fullRow(clauses.length);
    this.all = SINGLE_WORDS.add(all);
    this.live = liveClauses(all, clauses);
  }

  find(visitor: Visitor): Candidates {
    const { all, live, dimensions, candidates } = this;
    candidates.startWith(live === undefined ? all : SINGLE_WORDS.add(live.at(visitor.nowMs())));
    for (const dimension of dimensions) dimension.narrow(candidates, visitor);
    return candidates;
  }
}

class ManyClauses implements ClauseIndex {
  private readonly all: Int32Array;
  private readonly live: LiveClauses | undefined;
  private readonly dimensions: readonly Dimension[];
  private readonly candidates: ArrayBitset;

  constructor(clauses: readonly IndexedClause[]) {
    const table = new RowTable();
    this.all = fullRow(clauses.length);
    this.live = liveClauses(this.all, clauses);
    this.dimensions = dimensionsOf(clauses, (parts) => buildDimension(parts, table));
    const union = table.add(this.all);
    this.candidates = new ArrayBitset(table.finish(), this.all.length, union);
  }

  find(visitor: Visitor): Candidates {
    const { all, live, dimensions, candidates } = this;
    candidates.startWith(live === undefined ? all : live.at(visitor.nowMs()));
    for (const dimension of dimensions) dimension.narrow(candidates, visitor);
    return candidates;
  }
}

function dimensionsOf(
  clauses: readonly IndexedClause[],
  dimensionOf: (parts: DimensionParts) => Dimension,
): Dimension[] {
  const inOrder = [...requirementsBySource(clauses).values()].sort((one, other) =>
    byReadingCost(one.source, other.source),
  );
  return inOrder.map(dimensionOf);
}

function requirementsBySource(clauses: readonly IndexedClause[]): Map<string, DimensionParts> {
  const clauseCount = clauses.length;
  const byName = new Map<string, DimensionParts & { readonly requirements: ClauseRequirement[] }>();
  for (const [clause, { lookups }] of clauses.entries()) {
    for (const { source, requirement } of lookups) {
      const known = byName.get(source.name);
      if (known !== undefined) known.requirements.push({ clause, requirement });
      else byName.set(source.name, { source, clauseCount, requirements: [{ clause, requirement }] });
    }
  }
  return byName;
}

function liveClauses(all: Int32Array, clauses: readonly IndexedClause[]): LiveClauses | undefined {
  const periods: ClausePeriod[] = [];
  for (const [clause, { startMs, endMs }] of clauses.entries()) {
    if (startMs !== undefined || endMs !== undefined) periods.push({ clause, startMs, endMs });
  }
  return periods.length === 0 ? undefined : new LiveClauses(all, periods);
}
