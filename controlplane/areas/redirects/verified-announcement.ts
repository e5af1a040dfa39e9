import type { Queryable } from '../../storage/postgres/database.js';
import { emit, emitMany } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Tells the owner's endpoints that the domain of a redirect is theirs, in the transaction that makes it so. */
export async function announceVerified(tx: Queryable, verified: Redirect): Promise<void> {
  await emit(tx, verified.userId, 'domain.verified', {
    redirectId: verified.id,
    domain: verified.fromDomain,
    verifiedAt: verified.verifiedAt,
  });
}

/** Does what `announceVerified` does for redirects of one user that were verified at the same time. */
export async function announceAllVerified(
  tx: Queryable,
  userId: string,
  verifiedAt: Date,
  redirects: readonly Pick<Redirect, 'id' | 'fromDomain'>[],
): Promise<void> {
  if (redirects.length === 0) return;
  const data = () =>
    redirects.map(({ id, fromDomain }) => ({ redirectId: id, domain: fromDomain, verifiedAt }));
  await emitMany(tx, userId, 'domain.verified', data);
}
