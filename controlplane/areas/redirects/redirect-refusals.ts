import { AppError, refusalOr } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { parseDomainOrWildcard, parseFromDomain } from '../domains/public.js';
import { requireRoom } from '../plans/public.js';
import type { Claim } from './redirect-batches.js';
import { MAX_HOPS } from './redirect-repository.js';

/** Code of PostgreSQL for a value that another row has. */
export const UNIQUE_VIOLATION = '23505';

/** @throws {AppError} VALIDATION_ERROR naming `field` */
export function requireFromDomain(input: string, field: string): string {
  const parsed = parseFromDomain(input);
  if (parsed.ok) return parsed.domain;
  throw new AppError('VALIDATION_ERROR', { field, message: parsed.message });
}

/**
 * Does the same as `requireFromDomain`, and also accepts `*.example.com`.
 *
 * @throws {AppError} VALIDATION_ERROR naming `field`
 */
export function requireDomainOrWildcard(input: string, field: string): string {
  const parsed = parseDomainOrWildcard(input);
  if (parsed.ok) return parsed.domain;
  throw new AppError('VALIDATION_ERROR', { field, message: parsed.message });
}

/** @param field the member of the request that named the domain */
export function domainTaken(domain: string, field: string): AppError {
  return new AppError('DOMAIN_TAKEN', {
    field,
    message: `${domain} has been verified by another user and belongs to them here.`,
  });
}

export function domainExists(domain: string): AppError {
  return new AppError('DOMAIN_EXISTS', {
    field: 'fromDomain',
    message: `You already have a redirect for ${domain}; update that one instead.`,
  });
}

export function externalIdExists(externalId: string | null): AppError {
  return new AppError('EXTERNAL_ID_EXISTS', {
    field: 'externalId',
    message: `Another redirect of yours has the externalId ${JSON.stringify(externalId)}; choose another one.`,
  });
}

/**
 * @param loop hosts from the redirect back to it, or `too-long` for a chain of more redirects than are allowed
 * @param claim the redirect that would close the loop
 */
export function redirectLoop(
  loop: readonly string[] | 'too-long',
  { toHost }: Pick<Claim, 'toHost'>,
): AppError {
  if (loop === 'too-long') return chainTooLong();
  const field = loop[1] === toHost ? 'toDomain' : 'afterEnd.url';
  return new AppError('REDIRECT_LOOP', {
    field,
    message: `This destination leads back to the domain: ${loop.join(' → ')}. Choose one outside this loop.`,
  });
}

/** Returns the error for a chain with more redirects than are allowed. */
export function chainTooLong(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'toDomain',
    message: `toDomain must lead to its end in at most ${MAX_HOPS} redirects; choose a destination nearer to the end of the chain.`,
  });
}

/** Returns the reason why the plan allows no more redirects; undefined if it does. */
export function planRefusal(user: CurrentUser, used: number): AppError | undefined {
  return refusalOr((): undefined => requireRoomInPlan(user, used));
}

/** @throws {AppError} for a plan that allows no more redirects */
export function requireRoomInPlan({ plan }: CurrentUser, used: number): undefined {
  requireRoom(plan, { limit: plan.maxRedirects, used, what: 'redirects', has: 'you have' });
}
