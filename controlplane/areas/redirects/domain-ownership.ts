import { AppError } from '../../errors/app-error.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { VerificationResult } from '../domains/public.js';
import { emit } from '../webhooks/public.js';
import { deletedRedirects } from './deleted-redirects.js';
import { lockLoopGraph } from './loops/loop-graph.js';
import { proofRepository } from './proof-repository.js';
import { newVerificationValue, type Redirect } from './redirect.js';
import { recordRedirects } from './redirect-history.js';
import { requireDomainOrWildcard } from './redirect-refusals.js';
import { redirectRepository } from './redirect-repository.js';
import { zoneProofs } from './zone-proofs.js';

/** Reasons for the loss of a domain. */
export type LossReason =
  /** The proof was missing during the whole grace period. */
  | 'proof_missing'
  /** Another user has proved the domain, and the owner's proof was missing. */
  | 'proved_by_another_user'
  /** The operator released the domain. */
  | 'released';

/**
 * Returns whether DNS answered definitely that the proof is missing. A failed look-up of either name is not definite.
 */
export function isProofGone(result: VerificationResult): boolean {
  return 'isDefinite' in result && result.isDefinite;
}

/** Makes a verified redirect pending again, and notifies its owner. */
export async function unverify(
  tx: Queryable,
  record: RecordChange,
  redirect: Redirect,
  reason: LossReason,
): Promise<void> {
  // The old proof must not count again: the operator had a reason, or the domain has another owner.
  const value = reason === 'proof_missing' ? undefined : newVerificationValue();
  const after = await redirectRepository.markUnverified(tx, redirect.id, value);
  if (reason === 'released') await zoneProofs.forget(tx, redirect.userId, redirect.fromDomain);
  await proofRepository.delete(tx, redirect.id);
  await deletedRedirects.forgetOwners(tx, redirect.fromDomain);
  record(redirect.fromDomain);
  for (const key of await redirectRepository.pathPagesOf(tx, redirect.id)) record(key);
  const { id: redirectId, fromDomain: domain } = redirect;
  await emit(tx, redirect.userId, 'domain.unverified', { redirectId, domain, reason });
  // The owner may have changed other settings since the redirect was read.
  const before = { ...after, verifiedAt: redirect.verifiedAt };
  await recordRedirects(tx, redirect.userId, null, 'redirect.unverified', [{ before, after }]);
}

/**
 * Takes a domain from its owner. Resolves to the domain in its normal form.
 *
 * @throws {AppError} VALIDATION_ERROR, NOT_FOUND if no user has verified it
 */
export async function releaseDomain(tx: Queryable, record: RecordChange, given: string): Promise<string> {
  const domain = requireDomainOrWildcard(given, 'domain');
  await lockLoopGraph(tx);
  const claims = await redirectRepository.findClaims(tx, domain);
  const owned = claims.find(({ verifiedAt }) => verifiedAt !== null);
  const former = await deletedRedirects.forgetOwners(tx, domain);
  // The proof of a zone must not count again for a redirect that the former owner creates later.
  for (const userId of former) await zoneProofs.forget(tx, userId, domain);
  if (owned !== undefined) await unverify(tx, record, owned, 'released');
  if (owned === undefined && former.length === 0) {
    throw new AppError('NOT_FOUND', { message: `Nobody has verified ${domain}.` });
  }
  return domain;
}
