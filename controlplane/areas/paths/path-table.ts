import type { PathEnding, PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import type { PublishedPaths } from '../../../shared/paths/published-paths.js';

/** Members of an entry that its owner sets. */
export interface EntrySettings extends Omit<PathEntry, 'id'> {
  readonly pathEnding: PathEnding;
  readonly enabled: boolean;
  readonly note: string;
}

/** An entry to write, with its id and creation time if it was live before. */
export interface ReturningEntry extends EntrySettings {
  readonly earlier?: { readonly id: number; readonly createdAt: Date };
}

/** A table from a request of its owner. */
export interface GivenTable {
  readonly options: Partial<PathOptions>;
  readonly entries: readonly ReturningEntry[];
}

/** A stored entry. */
export interface StoredEntry extends EntrySettings {
  readonly id: number;
  readonly redirectId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A stored table, without its entries. */
export interface StoredTable {
  readonly redirectId: string;
  /** Initial value of the hash; see `hashKey`. */
  readonly salt: number;
  readonly options: PathOptions;
  /** Number of entries, disabled ones included. */
  readonly entryCount: number;
  /** Grows with each change; 0 without a table. */
  readonly version: number;
  /** Published form of the table; null while nothing is published. */
  readonly published: PublishedPaths | null;
}

/** Maximum entries of a table with any plan. */
export const MAX_ENTRIES = 100_000;
