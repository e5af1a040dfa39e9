import type { RuleCounters } from '../../shared/hits/hit-batch.js';
import { MAX_VARIANT_LENGTH } from '../../shared/hits/hit-batch-header.js';
import { createNumberedTexts } from '../sync/cold/numbered-texts.js';
import { createRunningTotals } from './running-totals.js';
import { storable } from './storable-text.js';

/** Names how often a rule decided for a variant in this process: a number from 1 on, the same for the same three. */
export type RuleTally = number;

/** The tallies of all rules of a process. They are kept as long as it runs, as those of redirects are. */
export interface RuleTallies {
  /** The tally of a variant of a rule. */
  of(redirectId: string, ruleId: number, variant: string): RuleTally;
  /** Counts one decision. */
  count(tally: RuleTally): void;
  /** The decisions counted so far. */
  hitsOf(tally: RuleTally): number;
  /** The tallies that grew since the last call. */
  takeChanged(): RuleCounters[];
}

const HITS = 0;
/** Stands in no id; a variant, which may hold anything, comes last. */
const SEPARATOR = ' ';

export function createRuleTallies(): RuleTallies {
  const names = createNumberedTexts();
  const totals = createRunningTotals(1);

  const hitsOf = (tally: RuleTally) => totals.totalOf(tally, HITS);

  return {
    of(redirectId, ruleId, variant) {
      // A name that no store takes would take a whole batch with it.
      const name = storable(variant, MAX_VARIANT_LENGTH);
      return names.numberOf(redirectId + SEPARATOR + ruleId + SEPARATOR + name);
    },
    count: (tally) => totals.count(tally, HITS),
    hitsOf,
    takeChanged: () =>
      totals.takeChanged().map((tally) => ({ ...partsOf(names.textOf(tally)), hits: hitsOf(tally) })),
  };
}

function partsOf(name: string): Omit<RuleCounters, 'hits'> {
  const idEnd = name.indexOf(SEPARATOR);
  const ruleEnd = name.indexOf(SEPARATOR, idEnd + 1);
  return {
    redirectId: name.slice(0, idEnd),
    ruleId: Number(name.slice(idEnd + 1, ruleEnd)),
    variant: name.slice(ruleEnd + 1),
  };
}
