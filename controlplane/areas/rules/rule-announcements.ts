import type { Queryable } from '../../storage/postgres/database.js';
import { emitMany } from '../webhooks/public.js';
import type { Rule } from './rule.js';

/** Announces a change of a rule to the owner's endpoints, in the transaction of the change. */
export function announceRule(
  tx: Queryable,
  userId: string,
  what: 'created' | 'updated' | 'deleted',
  rule: Rule,
): Promise<void> {
  return announceRules(tx, userId, what, [rule]);
}

/** Does what `announceRule` does for rules that changed together. */
export async function announceRules(
  tx: Queryable,
  userId: string,
  what: 'created' | 'updated' | 'deleted',
  rules: readonly Rule[],
): Promise<void> {
  if (rules.length === 0) return;
  const data = () => rules.map((rule) => ({ rule: announced(rule) }));
  await emitMany(tx, userId, `rule.${what}`, data);
}

function announced({ id, redirectId, name, type, status, priority, version }: Rule) {
  return { id, redirectId, name, type, status, priority, version };
}
