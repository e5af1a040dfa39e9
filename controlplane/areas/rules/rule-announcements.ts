import type { Queryable } from '../../storage/postgres/database.js';
import { emitMany } from '../webhooks/public.js';
import type { Rule } from './rule.js';

/** Announces changes of rules to the owner's endpoints, in the transaction of the change. */
export async function announceRules(
  tx: Queryable,
  userId: string,
  what: 'created' | 'updated' | 'deleted',
  rules: readonly Rule[],
): Promise<void> {
  if (rules.length === 0) return;
  await emitMany(tx, userId, `rule.${what}`, () => rules.map((rule) => ({ rule: announced(rule) })));
}

function announced({ id, redirectId, name, type, status, priority, version }: Rule) {
  return { id, redirectId, name, type, status, priority, version };
}
