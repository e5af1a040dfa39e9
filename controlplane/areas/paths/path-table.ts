import type { PathEnding, PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import type { PublishedPaths } from '../../../shared/paths/published-paths.js';

/** Members of an entry that its owner decides about. */
export interface EntrySettings extends Omit<PathEntry, 'id'> {
  readonly pathEnding: PathEnding;
  readonly enabled: boolean;
  readonly note: string;
}

/** An entry to be written, with its id and time if it was live before. */
export interface ReturningEntry extends EntrySettings {
  readonly earlier?: { readonly id: number; readonly createdAt: Date };
}

/** A table as its owner sends it. */
export interface GivenTable {
  readonly options: Partial<PathOptions>;
  readonly entries: readonly ReturningEntry[];
}

/** An entry as it is stored. */
export interface StoredEntry extends EntrySettings {
  readonly id: number;
  readonly redirectId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A table as it is stored, without its entries. */
export interface StoredTable {
  readonly redirectId: string;
  /** Start of the hash; see `hashKey`. */
  readonly salt: number;
  readonly options: PathOptions;
  /** Number of entries, disabled ones included. */
  readonly entryCount: number;
  /** Grows with each change; 0 while there is no table. */
  readonly version: number;
  /** Published form of the table; null while nothing is published. */
  readonly published: PublishedPaths | null;
}

/** Maximum entries of a table, whatever the plan. */
export const MAX_ENTRIES = 100_000;
