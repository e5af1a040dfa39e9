import type { RuleCounters } from '../../shared/hits/hit-batch.js';
import { MAX_VARIANT_LENGTH } from '../../shared/hits/hit-batch-header.js';
import { createChangedTallies, type Tally } from './changed-tallies.js';
import { storable } from './storable-text.js';

/** How often a rule decided for a variant in this process. Changed by the recorder alone; others only read. */
export interface RuleTally extends RuleCounters, Tally {
  hits: number;
}

/** The tallies of all rules of a process. They are kept as long as it runs, as those of redirects are. */
export interface RuleTallies {
  /** The tally of a variant of a rule, always the same object for the same three. */
  of(redirectId: string, ruleId: number, variant: string): RuleTally;
  /** Counts one decision. */
  count(tally: RuleTally): void;
  /** Copies of the tallies that grew since the last call. */
  takeChanged(): RuleCounters[];
}

export function createRuleTallies(): RuleTallies {
  const tallies = new Map<string, RuleTally>();
  const changed = createChangedTallies<RuleTally>();
  return {
    of(redirectId, ruleId, variant) {
      const key = `${redirectId} ${ruleId} ${variant}`;
      let tally = tallies.get(key);
      if (tally === undefined) {
        // A name that no store takes would take a whole batch with it.
        const name = storable(variant, MAX_VARIANT_LENGTH);
        tally = { redirectId, ruleId, variant: name, hits: 0, isChanged: false };
        tallies.set(key, tally);
      }
      return tally;
    },
    count(tally) {
      tally.hits += 1;
      changed.mark(tally);
    },
    takeChanged: () =>
      changed.take().map(({ redirectId, ruleId, variant, hits }) => ({ redirectId, ruleId, variant, hits })),
  };
}
