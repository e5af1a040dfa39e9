import type { Queryable } from '../../storage/postgres/database.js';
import { type Actor, type AuditAction, recordAudit } from '../history/public.js';
import type { User } from './user.js';

/**
 * Records an event of an account in the audit log of its user.
 *
 * @param by `null` for an operator, who is not named to the user
 */
export function recordAccount(
  tx: Queryable,
  { id, email }: Pick<User, 'id' | 'email'>,
  by: Actor | null,
  action: Extract<AuditAction, `account.${string}`>,
  summary: string,
): Promise<void> {
  return recordAudit(tx, { userId: id, by, action, resourceId: id, resourceName: email, summary });
}
