import { type Plan, UNLIMITED } from '../../plan.js';
import type { UserEvent } from '../webhooks/public.js';
import type { Redirect } from './redirect.js';

/** Share of a limit at which its owner is notified. */
const APPROACHING = 0.8;

type Announced = Pick<
  Redirect,
  'id' | 'fromDomain' | 'toDomain' | 'statusCode' | 'enabled' | 'externalId' | 'version' | 'verifiedAt'
>;

/** Returns the event of a change. `redirect` is called only if an endpoint wants the event. */
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
 * Returns the event of a new redirect that reaches 80 % of the plan's limit, or the limit; none for others.
 *
 * @param used redirects now
 */
export function redirectUseEvent(userId: string, { maxRedirects }: Plan, used: number): UserEvent[] {
  if (maxRedirects === UNLIMITED) return [];
  const data = () => ({ limit: 'redirects', used, allowed: maxRedirects });
  if (used === maxRedirects) return [{ userId, type: 'usage.limit_reached', data }];
  const isApproached = used === Math.ceil(maxRedirects * APPROACHING);
  return isApproached ? [{ userId, type: 'usage.approaching_limit', data }] : [];
}

/** Returns the event of a redirect whose domain is verified. */
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
