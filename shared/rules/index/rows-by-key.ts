import type { Key } from './requirement.js';
import type { RowRef } from './row-table.js';

/** The rows of the values that rules name. */
export interface RowsByKey {
  get(key: Key): RowRef | undefined;
}

/** A `Map` of two keys takes 200 bytes more than an array of both, and hashes the text of each visitor. */
const FEW_KEYS = 8;

/** @param rows of the keys, in their order */
export function rowsByKey(keys: readonly Key[], rows: readonly RowRef[]): RowsByKey {
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
