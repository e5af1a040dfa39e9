import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { createNumberedTexts } from '../sync/cold/numbered-texts.js';

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

const CHUNK_BITS = 12;
/** What is kept of each tally, one after the other. */
const REQUESTS = 0;
const RECORDED = 1;
const DROPPED = 2;
const IS_CHANGED = 3;
const FIELDS = 4;

/** Tallies as numbers in arrays: a million of them are 32 MiB and nothing for the garbage collector to walk. */
export function createRedirectTallies(): RedirectTallies {
  const ids = createNumberedTexts();
  /** Doubles, which hold every number up to 2^53. In chunks: one array would have to be copied as it grows. */
  const chunks: Float64Array[] = [];
  let changed: RedirectTally[] = [];

  function chunkOf(tally: RedirectTally): Float64Array {
    const number = tally >>> CHUNK_BITS;
    const chunk = chunks[number] ?? new Float64Array(FIELDS * 2 ** CHUNK_BITS);
    chunks[number] = chunk;
    return chunk;
  }

  function count(tally: RedirectTally, field: number): void {
    const chunk = chunkOf(tally);
    const at = startOf(tally);
    chunk[at + field] = (chunk[at + field] ?? 0) + 1;
    if (chunk[at + IS_CHANGED] === 1) return;
    chunk[at + IS_CHANGED] = 1;
    changed.push(tally);
  }

  function totalsOf(tally: RedirectTally): RedirectCounters {
    const chunk = chunkOf(tally);
    const at = startOf(tally);
    return {
      redirectId: ids.textOf(tally),
      requests: chunk[at + REQUESTS] ?? 0,
      recorded: chunk[at + RECORDED] ?? 0,
      dropped: chunk[at + DROPPED] ?? 0,
    };
  }

  return {
    of: ids.numberOf,
    countRequest: (tally) => count(tally, REQUESTS),
    countRecorded: (tally) => count(tally, RECORDED),
    countDropped: (tally) => count(tally, DROPPED),
    totalsOf,
    takeChanged() {
      const taken = changed;
      changed = [];
      return taken.map((tally) => {
        chunkOf(tally)[startOf(tally) + IS_CHANGED] = 0;
        return totalsOf(tally);
      });
    },
  };
}

/** Where the fields of a tally begin in its chunk. */
function startOf(tally: RedirectTally): number {
  return FIELDS * (tally % 2 ** CHUNK_BITS);
}
