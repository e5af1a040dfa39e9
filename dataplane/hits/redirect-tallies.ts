import type { RedirectCounters } from '../../shared/hits/hit-batch.js';

/** The running totals of one redirect in this process. Changed by the recorder alone; others only read. */
export interface RedirectTally extends RedirectCounters {
  requests: number;
  recorded: number;
  dropped: number;
  /** Whether the totals grew since they were last taken. */
  isChanged: boolean;
}

/** All tallies of a process. They are kept as long as it runs, because their totals may only grow. */
export interface RedirectTallies {
  /** The tally of a redirect, always the same object for the same id. */
  of(redirectId: string): RedirectTally;
  /** Notes that a tally has grown. */
  markChanged(tally: RedirectTally): void;
  /** Copies of the tallies that grew since the last call. */
  takeChanged(): RedirectCounters[];
}

export function createRedirectTallies(): RedirectTallies {
  const tallies = new Map<string, RedirectTally>();
  let changed: RedirectTally[] = [];
  return {
    of(redirectId) {
      let tally = tallies.get(redirectId);
      if (tally === undefined) {
        tally = { redirectId, requests: 0, recorded: 0, dropped: 0, isChanged: false };
        tallies.set(redirectId, tally);
      }
      return tally;
    },

    markChanged(tally) {
      if (tally.isChanged) return;
      tally.isChanged = true;
      changed.push(tally);
    },

    takeChanged() {
      const taken = changed;
      changed = [];
      return taken.map((tally) => {
        tally.isChanged = false;
        const { redirectId, requests, recorded, dropped } = tally;
        return { redirectId, requests, recorded, dropped };
      });
    },
  };
}
