/** An entry of a redirect's table of paths, for answers. */
export interface NamedEntry {
  readonly source: string;
  readonly destination: string | null;
  /** All hits since the creation, independent of the sampling rate; null if no hit was reported. */
  readonly lastHitAt: Date | null;
}

export interface NeverHit {
  /** Number of entries of the table. */
  readonly totalEntries: number;
  /** Number of entries without a hit since their creation, independent of the sampling rate. */
  readonly totalNeverHit: number;
  /** The first of these entries, by id. */
  readonly entries: readonly {
    readonly id: number;
    readonly source: string;
    readonly destination: string | null;
  }[];
}

/** Sources of path entries, for statistics. The store holds only their ids. */
export interface PathEntries {
  /** Deleted entries are absent. */
  named(redirectId: string, ids: readonly number[]): Promise<ReadonlyMap<number, NamedEntry>>;
  neverHit(redirectId: string, limit: number): Promise<NeverHit>;
}

/** Replaces the tables of paths in tests. */
export const NO_ENTRIES: PathEntries = {
  named: async () => new Map(),
  neverHit: async () => ({ totalEntries: 0, totalNeverHit: 0, entries: [] }),
};
