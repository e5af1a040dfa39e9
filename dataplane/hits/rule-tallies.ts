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

export function createRuleTallies(): RuleTallies {
  const names = createNumberedTexts();
  const totals = createRunningTotals(1);

  const hitsOf = (tally: RuleTally) => totals.totalOf(tally, HITS);

  return {
    of(redirectId, ruleId, variant) {
      // A name that no store takes would take a whole batch with it.
      const name = storable(variant, MAX_VARIANT_LENGTH);
      return names.numberOf(`${ruleId} ${redirectId.length} ${redirectId}${name}`);
    },
    count: (tally) => totals.count(tally, HITS),
    hitsOf,
    takeChanged: () =>
      totals.takeChanged().map((tally) => ({ ...partsOf(names.textOf(tally)), hits: hitsOf(tally) })),
  };
}

/** What a name was made of: a number, the length of the id, and the two texts, which may hold anything. */
function partsOf(name: string): Omit<RuleCounters, 'hits'> {
  const ruleEnd = name.indexOf(' ');
  const lengthEnd = name.indexOf(' ', ruleEnd + 1);
  const idEnd = lengthEnd + 1 + Number(name.slice(ruleEnd + 1, lengthEnd));
  return {
    redirectId: name.slice(lengthEnd + 1, idEnd),
    ruleId: Number(name.slice(0, ruleEnd)),
    variant: name.slice(idEnd),
  };
}
