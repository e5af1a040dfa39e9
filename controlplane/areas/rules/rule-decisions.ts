import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Redirect } from '../redirects/public.js';
import type { Rule } from './rule.js';

/**
 * Records a change if data planes serve the rule. They know only verified redirects and active rules, not edited
 * drafts.
 */
export function recordIfServed(record: RecordChange, redirect: Redirect, ...rules: readonly Rule[]): void {
  const served = redirect.verifiedAt !== null && rules.some(({ status }) => status === 'active');
  if (served) record(redirect.fromDomain);
}

/** Returns whether an active rule was inactive before, or decided differently. */
export function decidesAnew(rule: Rule, before: Rule | undefined): boolean {
  if (rule.status !== 'active') return false;
  const decisionOf = (decided: Rule) => JSON.stringify(ruleDefinitionOf(decided));
  return before?.status !== 'active' || decisionOf(rule) !== decisionOf(before);
}
