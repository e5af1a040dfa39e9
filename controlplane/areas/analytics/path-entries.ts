/** An entry of a redirect's table of paths, for answers. */
export interface NamedEntry {
  readonly source: string;
  readonly destination: string | null;
  /** Over all time and whatever the sampling rate; null where no hit was reported. */
  readonly lastHitAt: Date | null;
}

export interface NeverHit {
  /** Number of entries of the table. */
  readonly totalEntries: number;
  /** Number of entries without a hit, over all time and whatever the sampling rate. */
  readonly totalNeverHit: number;
  /** The first of them, in the order of their ids. */
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

/** Stands for a service without tables of paths, in tests. */
export const NO_ENTRIES: PathEntries = {
  named: async () => new Map(),
  neverHit: async () => ({ totalEntries: 0, totalNeverHit: 0, entries: [] }),
};
