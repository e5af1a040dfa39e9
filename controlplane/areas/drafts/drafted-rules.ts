import type { ReplacedRules, Rule } from '../rules/public.js';

/** Ids from here on belong to no stored rule. New rules get the same ones each time, so that a test can be repeated. */
const FIRST_DRAFTED_ID = 2 ** 31;

/** Returns the rules of a trial. Those that are new have ids that belong to no stored rule. */
export function draftedRules({ rules, created }: ReplacedRules): Rule[] {
  const fresh = new Set(created.map(({ rule }) => rule.id));
  return rules.map((rule, index) => (fresh.has(rule.id) ? { ...rule, id: FIRST_DRAFTED_ID + index } : rule));
}

/** Returns null for a rule that is new. */
export function shownId(id: number): number | null {
  return id < FIRST_DRAFTED_ID ? id : null;
}
