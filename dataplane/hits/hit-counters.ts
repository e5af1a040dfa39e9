import { MAX_VARIANT_LENGTH } from '../../shared/hits/batch-bounds.js';
import { CounterRecords } from '../../shared/hits/counter-records.js';
import { NumberRows } from '../../shared/native/number-rows.js';
import { createNumberedTexts } from '../texts/numbered-texts.js';
import { DEFAULT_HIT_LIMITS, type HitLimits } from './hit-limits.js';
import { createRunningTotals } from './running-totals.js';
import { storable } from './storable-text.js';

/** Identifies the totals of one redirect in this process: a number from 1, the same for the same redirect. */
export type RedirectTally = number;
/** Identifies the totals of one variant of one rule in this process: a number from 1. */
export type RuleTally = number;

/** Totals of all redirects and rules of a process. They are kept until it ends, because they may only grow. */
export interface HitCounters {
  /** Returns the tally of a redirect, the same for the same id. Look it up once and keep it. */
  tallyOf(redirectId: string): RedirectTally;
  /** Counts one answered request, recorded or not. */
  countRequest(tally: RedirectTally): void;
  countRecorded(tally: RedirectTally): void;
  countDropped(tally: RedirectTally): void;
  /**
   * Returns the tally of a rule, or of a variant of its A/B test. The same arguments give the same tally. Look it up
   * once and keep it.
   *
   * @param variant empty unless the rule is an A/B test
   */
  ruleTallyOf(redirectId: string, ruleId: number, variant: string): RuleTally;
  /** Counts one decision of a rule, and one human decision if `isPerson`, whether the hit is recorded or not. */
  countMatch(tally: RuleTally, isPerson: boolean): void;
  /**
   * Takes the totals that grew since the last call, in one step. They include exactly the counts before that moment.
   */
  takeChanged(): ChangedCounters;
}

/** The totals that grew up to one moment, in the form for batches. Later counts do not change them. */
export interface ChangedCounters {
  /** Whether all of them are written. */
  readonly isEmpty: boolean;
  /**
   * Writes as many of them as fit into one batch. Other work can run between two steps.
   *
   * @returns their records, a view that is valid until the next call
   */
  writeNext(): Generator<void, Uint8Array>;
}

/** Totals of a redirect. */
const REQUESTS = 0;
const RECORDED = 1;
const DROPPED = 2;
const REDIRECT_TOTALS = 3;

/** Totals of a rule. */
const HITS = 0;
const HUMAN_HITS = 1;
const RULE_TOTALS = 2;

/** Fields of a rule's tally: numbers of texts, and the rule's id. */
const REDIRECT = 0;
const RULE = 1;
const VARIANT = 2;
const RULE_FIELDS = 3;

/** Counters per step: less than 0.1 ms. */
const STEP_COUNTERS = 512;

export function createHitCounters(
  limits: Pick<HitLimits, 'batchCounters' | 'batchCounterBytes'> = DEFAULT_HIT_LIMITS,
): HitCounters {
  const [redirectIds, variants, ruleNames] = [
    createNumberedTexts(),
    createNumberedTexts(),
    createNumberedTexts(),
  ];
  const ruleFields = new NumberRows(RULE_FIELDS);
  const ofRedirects = createRunningTotals(REDIRECT_TOTALS);
  const ofRules = createRunningTotals(RULE_TOTALS);
  const records = new CounterRecords(redirectIds, variants);

  return {
    tallyOf: redirectIds.numberOf,
    countRequest: (tally) => ofRedirects.count(tally, REQUESTS),
    countRecorded: (tally) => ofRedirects.count(tally, RECORDED),
    countDropped: (tally) => ofRedirects.count(tally, DROPPED),
    ruleTallyOf(redirectId, ruleId, variant) {
      // The store refuses a whole batch because of an invalid name.
      const name = storable(variant, MAX_VARIANT_LENGTH);
      const redirect = redirectIds.numberOf(redirectId);
      const tally = ruleNames.numberOf(`${redirect} ${ruleId} ${name}`);
      if (ruleFields.at(tally, REDIRECT) === 0) {
        ruleFields.set(tally, REDIRECT, redirect);
        ruleFields.set(tally, RULE, ruleId);
        ruleFields.set(tally, VARIANT, variants.numberOf(name));
      }
      return tally;
    },
    countMatch(tally, isPerson) {
      ofRules.count(tally, HITS);
      if (isPerson) ofRules.count(tally, HUMAN_HITS);
    },
    takeChanged() {
      const redirects = ofRedirects.takeChanged();
      const rules = ofRules.takeChanged();
      const count = redirects.numbers.length + rules.numbers.length;
      let next = 0;

      const writeRedirect = (index: number) => {
        const total = (field: number) => redirects.totals[REDIRECT_TOTALS * index + field] ?? 0;
        records.addRedirect(redirects.numbers[index] ?? 0, total(REQUESTS), total(RECORDED), total(DROPPED));
      };
      const writeRule = (index: number) => {
        const field = (one: number) => ruleFields.at(rules.numbers[index] ?? 0, one);
        const total = (one: number) => rules.totals[RULE_TOTALS * index + one] ?? 0;
        records.addRule(field(REDIRECT), field(RULE), field(VARIANT), total(HITS), total(HUMAN_HITS));
      };

      return {
        get isEmpty() {
          return next === count;
        },
        *writeNext() {
          records.clear();
          const end = Math.min(count, next + limits.batchCounters);
          while (next < end && records.byteLength < limits.batchCounterBytes) {
            if (next < redirects.numbers.length) writeRedirect(next);
            else writeRule(next - redirects.numbers.length);
            next += 1;
            if (next % STEP_COUNTERS === 0) yield;
          }
          return records.written();
        },
      };
    },
  };
}
