import type { Visitor } from '../attributes.js';
import type { Candidates } from './candidates.js';
import type { Key, Requirement } from './requirement.js';
import { clearBit, fullRow, type RowRef, type RowWriter, setBit, wordsFor } from './row-table.js';
import type { Source } from './source.js';

/** One clause's requirement for the source of a dimension. */
export interface ClauseRequirement {
  readonly clause: number;
  readonly requirement: Requirement;
}

/** A value that is looked up for a visitor, with the clauses that each possible value satisfies. */
export interface Dimension {
  /**
   * Keeps the candidates that the visitor satisfies with respect to this value. Reads the value only if a candidate
   * needs it.
   */
  narrow(candidates: Candidates, visitor: Visitor): void;
}

/** Clauses that do not use the source are in every row. */
interface Rows {
  /** Clauses that use the source. */
  readonly concerned: RowRef;
  /** The row for a visitor without a value. */
  readonly missing: RowRef;
  /** The row for a value that no clause names. */
  readonly other: RowRef;
  readonly byKey: RowsByKey;
}

/** The classes that read the values extend this class instead of holding an instance: see shared/ruleset/location.ts. */
class RowsOfValues<Value> implements Rows {
  readonly concerned: RowRef;
  readonly missing: RowRef;
  readonly other: RowRef;
  readonly byKey: RowsByKey;

  constructor(
    protected readonly read: (visitor: Visitor) => Value,
    { concerned, missing, other, byKey }: Rows,
  ) {
    this.concerned = concerned;
    this.missing = missing;
    this.other = other;
    this.byKey = byKey;
  }
}

/** The parts of a dimension. */
export interface DimensionParts {
  readonly source: Source;
  readonly requirements: readonly ClauseRequirement[];
  /** Number of all clauses, including those that ignore the source. */
  readonly clauseCount: number;
}

/** Writes the rows of `source` into `table`. */
export function buildDimension(
  { source, requirements, clauseCount }: DimensionParts,
  table: RowWriter,
): Dimension {
  const rows = writeRows(requirements, clauseCount, table);
  switch (source.kind) {
    case 'one':
      return new SingleValue(source.read, rows);
    case 'any':
      return new AnyValue(source.read, rows);
    case 'all':
      return new AllValues(source.read, rows);
  }
}

function writeRows(requirements: readonly ClauseRequirement[], clauseCount: number, table: RowWriter): Rows {
  const concerned = new Int32Array(wordsFor(clauseCount));
  const missing = fullRow(clauseCount);
  const other = fullRow(clauseCount);
  const clausesNaming = new Map<Key, number[]>();
  for (const { clause, requirement } of requirements) {
    setBit(concerned, clause);
    if (!requirement.allowsMissing) clearBit(missing, clause);
    if (!requirement.isComplement) clearBit(other, clause);
    for (const key of requirement.keys) {
      const clauses = clausesNaming.get(key);
      if (clauses === undefined) clausesNaming.set(key, [clause]);
      else clauses.push(clause);
    }
  }
  const otherRef = table.add(other);
  const keys = [...clausesNaming.keys()];
  const rows = [...clausesNaming.values()].map((clauses) => table.addFlipped(otherRef, other, clauses));
  const byKey = rowsByKey(keys, rows);
  return { concerned: table.add(concerned), missing: table.add(missing), other: otherRef, byKey };
}

class SingleValue extends RowsOfValues<Key | undefined> implements Dimension {
  narrow(candidates: Candidates, visitor: Visitor): void {
    const { concerned, missing, other, byKey } = this;
    if (!candidates.hasAnyOf(concerned)) return;
    const key = this.read(visitor);
    candidates.narrow(key === undefined ? missing : (byKey.get(key) ?? other));
  }
}

/** Matches if at least one of several values does. */
class AnyValue extends RowsOfValues<readonly Key[]> implements Dimension {
  narrow(candidates: Candidates, visitor: Visitor): void {
    const { concerned, missing, other, byKey } = this;
    if (!candidates.hasAnyOf(concerned)) return;
    const keys = this.read(visitor);
    const first = keys[0];
    if (first === undefined) candidates.narrow(missing);
    else if (keys.length === 1) candidates.narrow(byKey.get(first) ?? other);
    else this.narrowToAny(candidates, keys);
  }

  private narrowToAny(candidates: Candidates, keys: readonly Key[]): void {
    const { other, byKey } = this;
    let added: RowRef | undefined;
    candidates.startUnion();
    for (const key of keys) {
      const row = byKey.get(key) ?? other;
      // Add the row of unnamed values only once, even if the visitor has many.
      if (row !== added) candidates.addToUnion(row);
      added = row;
    }
    candidates.narrowToUnion();
  }
}

/** Matches if each of several values does. */
class AllValues extends RowsOfValues<readonly Key[]> implements Dimension {
  narrow(candidates: Candidates, visitor: Visitor): void {
    const { concerned, missing, other, byKey } = this;
    if (!candidates.hasAnyOf(concerned)) return;
    const keys = this.read(visitor);
    if (keys.length === 0) candidates.narrow(missing);
    for (const key of keys) {
      if (candidates.isEmpty) return;
      candidates.narrow(byKey.get(key) ?? other);
    }
  }
}

/** The rows of the values that rules name. */
interface RowsByKey {
  get(key: Key): RowRef | undefined;
}

/**
 * Maximum number of keys in an array. A `Map` of two keys takes 200 bytes more than an array, and hashes the text of
 * each visitor.
 */
const FEW_KEYS = 8;

/** @param rows of the keys, in their order */
function rowsByKey(keys: readonly Key[], rows: readonly RowRef[]): RowsByKey {
  const entries = keys.map((key, place): Entry => [key, rows[place] ?? 0]);
  return keys.length <= FEW_KEYS ? new FewKeys(entries) : new Map(entries);
}

type Entry = [key: Key, row: RowRef];

class FewKeys implements RowsByKey {
  /** Keys at even indexes, each followed by its row. */
  private readonly keysAndRows: readonly (Key | RowRef)[];

  constructor(entries: readonly Entry[]) {
    this.keysAndRows = entries.flat();
  }

  get(key: Key): RowRef | undefined {
    const { keysAndRows } = this;
    for (let place = 0; place < keysAndRows.length; place += 2) {
      if (keysAndRows[place] === key) return keysAndRows[place + 1] as RowRef;
    }
    return undefined;
  }
}
