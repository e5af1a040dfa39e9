import { type Plan, UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Share of a limit from which its owner is told. */
const APPROACHING = 0.8;

/** Tells the owner's endpoints what became of a redirect, in the transaction that makes it so. */
export async function announceRedirect(
  tx: Queryable,
  what: 'created' | 'updated' | 'deleted',
  redirect: Redirect,
): Promise<void> {
  const { id, fromDomain, toDomain, statusCode, enabled, externalId, version, verifiedAt } = redirect;
  const isVerified = verifiedAt !== null;
  await emit(tx, redirect.userId, `redirect.${what}`, {
    redirect: { id, fromDomain, toDomain, statusCode, enabled, externalId, isVerified, version },
  });
}

/** Tells the owner when a new redirect reaches 80 % of the plan's limit, or the limit. @param used redirects now */
export async function announceRedirectUse(
  tx: Queryable,
  userId: string,
  { maxRedirects }: Plan,
  used: number,
): Promise<void> {
  if (maxRedirects === UNLIMITED) return;
  const data = { limit: 'redirects', used, allowed: maxRedirects };
  if (used === maxRedirects) await emit(tx, userId, 'usage.limit_reached', data);
  else if (used === Math.ceil(maxRedirects * APPROACHING))
    await emit(tx, userId, 'usage.approaching_limit', data);
}
