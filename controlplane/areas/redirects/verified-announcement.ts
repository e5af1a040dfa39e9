import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Tells the owner's endpoints that the domain of a redirect is theirs, in the transaction that makes it so. */
export async function announceVerified(tx: Queryable, verified: Redirect): Promise<void> {
  await emit(tx, verified.userId, 'domain.verified', {
    redirectId: verified.id,
    domain: verified.fromDomain,
    verifiedAt: verified.verifiedAt,
  });
}
