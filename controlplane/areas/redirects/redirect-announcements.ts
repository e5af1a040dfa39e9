import { type Plan, UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emit, emitMany } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Share of a limit from which its owner is told. */
const APPROACHING = 0.8;

type Announced = Pick<
  Redirect,
  'id' | 'fromDomain' | 'toDomain' | 'statusCode' | 'enabled' | 'externalId' | 'version' | 'verifiedAt'
>;

/** Sends `redirect.created`, `updated` or `deleted` to the owner's endpoints, in the transaction of the change. */
export function announceRedirect(
  tx: Queryable,
  what: 'created' | 'updated' | 'deleted',
  redirect: Redirect,
): Promise<void> {
  return announceRedirects(tx, redirect.userId, what, () => [redirect]);
}

/**
 * Does what `announceRedirect` does for redirects of one user that changed together.
 *
 * @param redirects is called if an endpoint wants them
 */
export async function announceRedirects(
  tx: Queryable,
  userId: string,
  what: 'created' | 'updated' | 'deleted',
  redirects: () => readonly Announced[],
): Promise<void> {
  const data = () => redirects().map((redirect) => ({ redirect: announced(redirect) }));
  await emitMany(tx, userId, `redirect.${what}`, data);
}

function announced({ verifiedAt, ...redirect }: Announced) {
  const { id, fromDomain, toDomain, statusCode, enabled, externalId, version } = redirect;
  const isVerified = verifiedAt !== null;
  return { id, fromDomain, toDomain, statusCode, enabled, externalId, isVerified, version };
}

/**
 * Tells the owner when new redirects reach 80 % of the plan's limit, or the limit.
 *
 * @param used redirects now
 * @param added new ones among them
 */
export async function announceRedirectUse(
  tx: Queryable,
  userId: string,
  { maxRedirects }: Plan,
  used: number,
  added = 1,
): Promise<void> {
  if (maxRedirects === UNLIMITED) return;
  const data = { limit: 'redirects', used, allowed: maxRedirects };
  const isReached = (limit: number) => used - added < limit && used >= limit;
  if (isReached(maxRedirects)) await emit(tx, userId, 'usage.limit_reached', data);
  else if (isReached(Math.ceil(maxRedirects * APPROACHING)))
    await emit(tx, userId, 'usage.approaching_limit', data);
}
