/** Running totals of something since this process started; they only grow. */
export interface Tally {
  /** Whether the totals grew since they were last taken. */
  isChanged: boolean;
}

/** Knows which tallies grew, so that those that did not cost nothing. */
export interface ChangedTallies<T extends Tally> {
  /** Notes that a tally has grown. For the visitor path. */
  mark(tally: T): void;
  /** The tallies that grew since the last call. */
  take(): readonly T[];
}

export function createChangedTallies<T extends Tally>(): ChangedTallies<T> {
  let changed: T[] = [];
  return {
    mark(tally) {
      if (tally.isChanged) return;
      tally.isChanged = true;
      changed.push(tally);
    },
    take() {
      const taken = changed;
      changed = [];
      for (const tally of taken) tally.isChanged = false;
      return taken;
    },
  };
}
