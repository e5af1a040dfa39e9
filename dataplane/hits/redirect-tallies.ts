import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { createNumberedTexts } from '../sync/cold/numbered-texts.js';
import { createRunningTotals } from './running-totals.js';

/** Names the running totals of one redirect in this process: a number from 1 on, the same for the same redirect. */
export type RedirectTally = number;

/** All tallies of a process. They are kept as long as it runs, because their totals may only grow. */
export interface RedirectTallies {
  /** The tally of a redirect. */
  of(redirectId: string): RedirectTally;
  countRequest(tally: RedirectTally): void;
  countRecorded(tally: RedirectTally): void;
  countDropped(tally: RedirectTally): void;
  /** The totals as they are now. */
  totalsOf(tally: RedirectTally): RedirectCounters;
  /** The totals of the tallies that grew since the last call. */
  takeChanged(): RedirectCounters[];
}

const REQUESTS = 0;
const RECORDED = 1;
const DROPPED = 2;
const FIELDS = 3;

export function createRedirectTallies(): RedirectTallies {
  const ids = createNumberedTexts();
  const totals = createRunningTotals(FIELDS);

  const totalsOf = (tally: RedirectTally): RedirectCounters => ({
    redirectId: ids.textOf(tally),
    requests: totals.totalOf(tally, REQUESTS),
    recorded: totals.totalOf(tally, RECORDED),
    dropped: totals.totalOf(tally, DROPPED),
  });

  return {
    of: ids.numberOf,
    countRequest: (tally) => totals.count(tally, REQUESTS),
    countRecorded: (tally) => totals.count(tally, RECORDED),
    countDropped: (tally) => totals.count(tally, DROPPED),
    totalsOf,
    takeChanged: () => totals.takeChanged().map(totalsOf),
  };
}
