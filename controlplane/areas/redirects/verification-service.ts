import { AppError } from '../../errors/app-error.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { createTurns } from '../../storage/postgres/turns.js';
import {
  type DomainVerifier,
  isVerified,
  type VerificationOutcome,
  type VerificationReport,
  type VerificationResult,
  verificationReport,
} from '../domains/public.js';
import { emitAll } from '../webhooks/public.js';
import { deletedRedirects } from './deleted-redirects.js';
import { isProofGone, unverify } from './domain-ownership.js';
import { findLoopByFallback } from './loops/fallback-loops.js';
import { lockLoopGraph } from './loops/loop-graph.js';
import { findLoopOfRedirect } from './loops/rule-loops.js';
import { proofRepository } from './proof-repository.js';
import type { Redirect } from './redirect.js';
import { verifiedEvent } from './redirect-announcements.js';
import { recordRedirects } from './redirect-history.js';
import { chainTooLong, domainTaken, requireDomainOrWildcard } from './redirect-refusals.js';
import { redirectRepository } from './redirect-repository.js';
import { zoneProofs } from './zone-proofs.js';

/**
 * Maximum domains of background checks that are marked verified concurrently. Each waits for one lock on a separate
 * connection, and requests need connections too.
 */
const RECHECKS_SETTLED_AT_ONCE = 2;

/** Hours until the proof of a domain is looked up again. */
const FIRST_RECHECK_HOURS = 24;

export interface VerificationServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly verifier: DomainVerifier;
}

/**
 * Verifies that a claimed domain belongs to its claimant. The first user to prove it owns it until the proof is gone.
 */
export interface VerificationService {
  /**
   * Looks up the proof now and reports the result.
   *
   * @param manySinceMs says that the domain is one of many of a request, which began at this time of
   * `performance.now()`. At most two such domains at a time are marked verified, and those of a zone share the lookup
   * of its proof
   * @throws {AppError} NOT_FOUND for a domain that the user has not claimed, DOMAIN_TAKEN when another user was first
   */
  verify(userId: string, domain: string, manySinceMs?: number): Promise<VerificationReport>;
  /**
   * Looks up the proof of a pending redirect, as `verify` does. Only two at a time are then marked verified.
   *
   * @param sinceMs accepts a lookup of its zone from this time of `performance.now()` on. Default: now
   */
  recheck(redirect: Redirect, sinceMs?: number): Promise<VerificationOutcome>;
}

export function createVerificationService(deps: VerificationServiceDeps): VerificationService {
  const { database, outbox, verifier } = deps;

  async function claimOf(userId: string, domain: string): Promise<Redirect> {
    const claims = await redirectRepository.findClaims(database, domain);
    const own = claims.find((claim) => claim.userId === userId);
    if (own === undefined) {
      throw new AppError('NOT_FOUND', { message: `You have no redirect for ${domain}; create one first.` });
    }
    return own;
  }

  /** The redirect of another user who has verified the domain of a claim. */
  async function findOwner(source: Queryable, { id, fromDomain }: Redirect): Promise<Redirect | undefined> {
    const claims = await redirectRepository.findClaims(source, fromDomain);
    return claims.find((claim) => claim.id !== id && claim.verifiedAt !== null);
  }

  /**
   * Looks up whether the owner still proves a domain that another user proves.
   *
   * @throws {AppError} DOMAIN_TAKEN unless the owner's proof is certainly gone
   */
  async function requireProofGone(owner: Redirect): Promise<void> {
    if (!isProofGone(await lookUp(owner, performance.now()))) throw domainTaken(owner.fromDomain, 'domain');
  }

  /**
   * Marks the redirect verified, if the result still applies when it is committed.
   *
   * @param loser an owner whose proof is gone
   */
  const settle = (
    claim: Redirect,
    result: VerificationResult,
    loser: Redirect | undefined,
  ): Promise<VerificationOutcome | StillOwned> =>
    outbox.commit(async (tx, record) => {
      await lockLoopGraph(tx);
      const current = await redirectRepository.findByIdForUpdate(tx, claim.id);
      if (current === undefined) {
        throw new AppError('NOT_FOUND', {
          message: `You have no redirect for ${claim.fromDomain}; create one first.`,
        });
      }
      if (current.verifiedAt !== null) return { kind: 'alreadyVerified', found: result.found };
      const owner = await findOwner(tx, current);
      if (owner !== undefined && !isSameProof(owner, loser)) return { owner };
      const loop =
        (await redirectRepository.findLoop(tx, current)) ??
        (await findLoopOfRedirect(tx, current)) ??
        (current.enabled ? undefined : await findLoopByFallback(tx, current));
      if (loop === 'too-long') throw chainTooLong();
      if (loop !== undefined) return { kind: 'wouldCloseLoop', path: loop };
      if (owner !== undefined) await unverify(tx, record, owner, 'proved_by_another_user');
      const verified = await redirectRepository.markVerified(tx, current.id);
      await deletedRedirects.forgetOwners(tx, current.fromDomain, current.userId);
      if (result.kind === 'verified') await proofRepository.markFound(tx, current.id, FIRST_RECHECK_HOURS);
      record(verified.fromDomain);
      for (const key of await redirectRepository.pathPagesOf(tx, current.id)) record(key);
      await emitAll(tx, [verifiedEvent(verified.userId, () => verified)]);
      const change = { before: current, after: verified };
      await recordRedirects(tx, verified.userId, null, 'redirect.verified', [change]);
      return result;
    });

  const turns = createTurns(Infinity);
  let rechecksSettled = 0;

  const settleInTurn: typeof settle = async (claim, result, loser) => {
    rechecksSettled += 1;
    const end = await turns.take(
      String(rechecksSettled % RECHECKS_SETTLED_AT_ONCE),
      new AbortController().signal,
    );
    try {
      return await settle(claim, result, loser);
    } finally {
      end?.();
    }
  };

  /** Looks for the proof of a redirect, or of its zone. The lookup of the zone may be as old as `sinceMs`. */
  async function lookUp(redirect: Redirect, sinceMs: number): Promise<VerificationResult> {
    const { userId, fromDomain, verificationValue } = redirect;
    const value = await zoneProofs.findValue(database, userId, fromDomain);
    return verifier.check(
      fromDomain,
      verificationValue,
      value === undefined ? undefined : { value, sinceMs },
    );
  }

  async function outcomeOf(
    claim: Redirect,
    sinceMs: number,
    settleAs: typeof settle,
  ): Promise<VerificationOutcome> {
    const result = await lookUp(claim, sinceMs);
    if (claim.verifiedAt !== null) return { kind: 'alreadyVerified', found: result.found };
    if (!isVerified(result)) return result;
    const settled = await settleAs(claim, result, undefined);
    if (!('owner' in settled)) return settled;
    await requireProofGone(settled.owner);
    const moved = await settleAs(claim, result, settled.owner);
    if ('owner' in moved) throw domainTaken(claim.fromDomain, 'domain');
    return moved;
  }

  return {
    async verify(userId, input, manySinceMs) {
      const domain = requireDomainOrWildcard(input, 'domain');
      const claim = await claimOf(userId, domain);
      const outcome = await (manySinceMs === undefined
        ? outcomeOf(claim, performance.now(), settle)
        : outcomeOf(claim, manySinceMs, settleInTurn));
      if (!isVerified(outcome) && (await findOwner(database, claim)) !== undefined) {
        throw domainTaken(domain, 'domain');
      }
      return verificationReport(domain, claim.verificationValue, outcome, new Date());
    },
    recheck: (claim, sinceMs = performance.now()) => outcomeOf(claim, sinceMs, settleInTurn),
  };
}

/** Another user owns the domain. */
interface StillOwned {
  readonly owner: Redirect;
}

/** Returns whether an owner is the one whose proof was looked up, with the same value. */
function isSameProof(owner: Redirect, looked: Redirect | undefined): boolean {
  return owner.id === looked?.id && owner.verificationValue === looked.verificationValue;
}
