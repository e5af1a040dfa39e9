import { type Plan, UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emitAll, emitMany, type UserEvent } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Share of a limit at which its owner is notified. */
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

/** The event that `announceRedirect` sends. */
export function redirectEvent(
  userId: string,
  what: 'created' | 'updated' | 'deleted',
  redirect: () => Announced,
): UserEvent {
  return { userId, type: `redirect.${what}`, data: () => ({ redirect: announced(redirect()) }) };
}

function announced({ verifiedAt, ...redirect }: Announced) {
  const { id, fromDomain, toDomain, statusCode, enabled, externalId, version } = redirect;
  const isVerified = verifiedAt !== null;
  return { id, fromDomain, toDomain, statusCode, enabled, externalId, isVerified, version };
}

/**
 * Notifies the owner when a new redirect reaches 80 % of the plan's limit, or the limit.
 *
 * @param used redirects now
 */
export async function announceRedirectUse(
  tx: Queryable,
  userId: string,
  plan: Plan,
  used: number,
): Promise<void> {
  const events = redirectUseEvent(userId, plan, used);
  if (events.length > 0) await emitAll(tx, events);
}

/** The event that `announceRedirectUse` sends, if there is one. */
export function redirectUseEvent(userId: string, { maxRedirects }: Plan, used: number): UserEvent[] {
  if (maxRedirects === UNLIMITED) return [];
  const data = () => ({ limit: 'redirects', used, allowed: maxRedirects });
  if (used === maxRedirects) return [{ userId, type: 'usage.limit_reached', data }];
  const isApproached = used === Math.ceil(maxRedirects * APPROACHING);
  return isApproached ? [{ userId, type: 'usage.approaching_limit', data }] : [];
}
