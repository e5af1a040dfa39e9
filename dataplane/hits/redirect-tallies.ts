import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { createChangedTallies, type Tally } from './changed-tallies.js';

/** The running totals of one redirect in this process. Changed by the recorder alone; others only read. */
export interface RedirectTally extends RedirectCounters, Tally {
  requests: number;
  recorded: number;
  dropped: number;
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
  const changed = createChangedTallies<RedirectTally>();
  return {
    of(redirectId) {
      let tally = tallies.get(redirectId);
      if (tally === undefined) {
        tally = { redirectId, requests: 0, recorded: 0, dropped: 0, isChanged: false };
        tallies.set(redirectId, tally);
      }
      return tally;
    },
    markChanged: changed.mark,
    takeChanged: () =>
      changed.take().map(({ redirectId, requests, recorded, dropped }) => ({
        redirectId,
        requests,
        recorded,
        dropped,
      })),
  };
}
