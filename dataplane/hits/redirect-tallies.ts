import { createCounterTexts } from './counter-texts.js';
import { createRunningTotals } from './running-totals.js';
import type { TakenCounters } from './taken-counters.js';

/** Identifies the running totals of one redirect in this process: a number from 1, the same for the same redirect. */
export type RedirectTally = number;

/** All tallies of a process. They are kept until it ends, because their totals may only grow. */
export interface RedirectTallies {
  /** Returns the tally of a redirect. */
  of(redirectId: string): RedirectTally;
  countRequest(tally: RedirectTally): void;
  countRecorded(tally: RedirectTally): void;
  countDropped(tally: RedirectTally): void;
  /** Returns the current totals of the tallies that grew since the last call. */
  takeChanged(): TakenCounters;
}

const REQUESTS = 0;
const RECORDED = 1;
const DROPPED = 2;
const FIELDS = 3;

export function createRedirectTallies({ redirectIds } = createCounterTexts()): RedirectTallies {
  const running = createRunningTotals(FIELDS);

  return {
    of: redirectIds.numberOf,
    countRequest: (tally) => running.count(tally, REQUESTS),
    countRecorded: (tally) => running.count(tally, RECORDED),
    countDropped: (tally) => running.count(tally, DROPPED),
    takeChanged() {
      const { numbers, totals } = running.takeChanged();
      const total = (index: number, field: number) => totals[FIELDS * index + field] ?? 0;
      return {
        count: numbers.length,
        write(index, records) {
          const redirect = numbers[index] ?? 0;
          records.addRedirect(
            redirect,
            total(index, REQUESTS),
            total(index, RECORDED),
            total(index, DROPPED),
          );
        },
      };
    },
  };
}
