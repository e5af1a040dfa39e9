import { MAX_VARIANT_LENGTH } from '../../shared/hits/batch-bounds.js';
import { NumberRows } from '../../shared/native/number-rows.js';
import { createNumberedTexts } from '../texts/numbered-texts.js';
import { createCounterTexts } from './counter-texts.js';
import { createRunningTotals } from './running-totals.js';
import { storable } from './storable-text.js';
import type { TakenCounters } from './taken-counters.js';

/** Number of the counters of one variant of one rule in this process, from 1 on. */
export type RuleTally = number;

/** The tallies of all rules. They are kept until the process ends, because their totals may only grow. */
export interface RuleTallies {
  /** Returns the tally of a variant of a rule, the same for the same arguments. */
  of(redirectId: string, ruleId: number, variant: string): RuleTally;
  /** Counts one decision, and one human decision if `isPerson`. */
  count(tally: RuleTally, isPerson: boolean): void;
  /** Takes the totals of the tallies that grew since the last call. */
  takeChanged(): TakenCounters;
}

const HITS = 0;
const HUMAN_HITS = 1;
const TOTALS = 2;

/** Fields of a tally's subject: numbers of texts, and the rule's id. */
const REDIRECT = 0;
const RULE = 1;
const VARIANT = 2;
const FIELDS = 3;

export function createRuleTallies({ redirectIds, variants } = createCounterTexts()): RuleTallies {
  const names = createNumberedTexts();
  const subjects = new NumberRows(FIELDS);
  const running = createRunningTotals(TOTALS);

  return {
    of(redirectId, ruleId, variant) {
      // The store refuses a whole batch because of an invalid name.
      const name = storable(variant, MAX_VARIANT_LENGTH);
      const redirect = redirectIds.numberOf(redirectId);
      const tally = names.numberOf(`${redirect} ${ruleId} ${name}`);
      if (subjects.at(tally, REDIRECT) === 0) {
        subjects.set(tally, REDIRECT, redirect);
        subjects.set(tally, RULE, ruleId);
        subjects.set(tally, VARIANT, variants.numberOf(name));
      }
      return tally;
    },
    count(tally, isPerson) {
      running.count(tally, HITS);
      if (isPerson) running.count(tally, HUMAN_HITS);
    },
    takeChanged() {
      const { numbers, totals } = running.takeChanged();
      return {
        count: numbers.length,
        write(index, records) {
          const tally = numbers[index] ?? 0;
          const subject = (field: number) => subjects.at(tally, field);
          const total = (field: number) => totals[TOTALS * index + field] ?? 0;
          records.addRule(subject(REDIRECT), subject(RULE), subject(VARIANT), total(HITS), total(HUMAN_HITS));
        },
      };
    },
  };
}
