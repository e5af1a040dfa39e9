import type { Queryable } from '../../storage/postgres/database.js';
import {
  type Actor,
  type RuleState,
  recordVersions,
  rulesDelta,
  type VersionAction,
  withPriorities,
} from '../history/public.js';
import type { Redirect } from '../redirects/public.js';
import type { Rule } from './rule.js';
import type { RulePlace } from './rule-priorities.js';

/** A rule before and after a change, and the rules that moved. */
export interface RuleChange {
  /** Absent for a new rule. */
  readonly before?: Rule;
  /** Absent for a deleted rule. */
  readonly after?: Rule;
  /** Earlier priorities of the rules whose priority changed. */
  readonly moved: readonly RulePlace[];
}

/** Returns the part of a rule that the versions of a redirect store. */
export function ruleState(
  rule: Omit<Rule, 'redirectId' | 'createdBy' | 'createdAt' | 'updatedAt' | 'version'>,
): RuleState {
  return {
    id: rule.id,
    name: rule.name,
    description: rule.description,
    type: rule.type,
    conditions: rule.conditions,
    conditionLogic: rule.conditionLogic,
    action: rule.action,
    priority: rule.priority,
    status: rule.status,
    startDate: rule.startDate?.toISOString() ?? null,
    endDate: rule.endDate?.toISOString() ?? null,
    metadata: rule.metadata,
  };
}

/** Returns the earlier priorities of rules that `after` moves. */
export function movedPlaces(before: readonly RulePlace[], after: readonly RulePlace[]): RulePlace[] {
  const priorities = new Map(after.map(({ id, priority }) => [id, priority]));
  return before.filter(({ id, priority }) => (priorities.get(id) ?? priority) !== priority);
}

const VERBS = {
  'rule.created': 'Added the rule',
  'rule.updated': 'Changed the rule',
  'rule.duplicated': 'Duplicated a rule as',
  'rule.deleted': 'Deleted the rule',
} as const satisfies Partial<Record<VersionAction, string>>;

/** Records a version of a locked redirect, in the transaction that changes its rules. */
export async function recordRule(
  tx: Queryable,
  by: Actor,
  redirect: Redirect,
  action: keyof typeof VERBS | 'rule.reordered',
  { before, after, moved }: RuleChange,
): Promise<void> {
  const rules = rulesDelta(before ? [ruleState(before)] : [], after ? [ruleState(after)] : []);
  // The earlier state of the rule itself has its priority.
  const others = moved.filter(({ id }) => id !== (before ?? after)?.id);
  const delta = withPriorities(rules, others);
  const name = JSON.stringify((after ?? before)?.name);
  const summary = action === 'rule.reordered' ? 'Reordered the rules' : `${VERBS[action]} ${name}`;
  const version = { redirectId: redirect.id, name: redirect.fromDomain, delta };
  await recordVersions(tx, { userId: redirect.userId, by, action, summary }, [version]);
}
