import type { Queryable } from '../../storage/postgres/database.js';
import { emit, type UserEvent } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Notifies the owner's endpoints that the domain of a redirect is verified, in the transaction that verifies it. */
export async function announceVerified(tx: Queryable, verified: Redirect): Promise<void> {
  await emit(tx, verified.userId, 'domain.verified', {
    redirectId: verified.id,
    domain: verified.fromDomain,
    verifiedAt: verified.verifiedAt,
  });
}

/** The event that `announceVerified` sends. */
export function verifiedEvent(
  userId: string,
  verified: () => Pick<Redirect, 'id' | 'fromDomain' | 'verifiedAt'>,
): UserEvent {
  const data = () => {
    const { id, fromDomain, verifiedAt } = verified();
    return { redirectId: id, domain: fromDomain, verifiedAt };
  };
  return { userId, type: 'domain.verified', data };
}
