import type { Database, Queryable } from '../database/database.js';
import type { DomainVerifier } from '../domains/domain-verification.js';
import {
  isVerified,
  type VerificationOutcome,
  type VerificationResult,
} from '../domains/verification-outcome.js';
import { type VerificationReport, verificationReport } from '../domains/verification-report.js';
import { AppError } from '../errors/app-error.js';
import { findLoopOfRedirect } from '../loops/rule-loops.js';
import type { RulesetOutbox } from '../publisher/ruleset-outbox.js';
import { createTurns } from '../reads/turns.js';
import type { Redirect } from './redirect.js';
import type { RedirectRepository } from './redirect-repository.js';
import { chainTooLong, domainTaken, requireFromDomain } from './redirect-service.js';
import { announceVerified } from './verified-announcement.js';

/**
 * Domains checked in the background that are marked verified at once. They wait for one lock, each on a connection of its
 * own, and requests need connections too.
 */
const RECHECKS_SETTLED_AT_ONCE = 2;

export interface VerificationServiceDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly repository: RedirectRepository;
  readonly verifier: DomainVerifier;
}

/** Proving that a claimed domain is its claimant's. The first to prove it owns it. */
export interface VerificationService {
  /**
   * Looks the proof up now and says what was found.
   *
   * @throws {AppError} NOT_FOUND for a domain that the user has not claimed, DOMAIN_TAKEN when somebody else was first
   */
  verify(userId: string, domain: string): Promise<VerificationReport>;
  /** Looks up the proof of a pending redirect, as `verify` does. Only two at a time are then marked verified. */
  recheck(redirect: Redirect): Promise<VerificationOutcome>;
}

export function createVerificationService(deps: VerificationServiceDeps): VerificationService {
  const { database, outbox, repository, verifier } = deps;

  async function claimOf(userId: string, domain: string): Promise<Redirect> {
    const claims = await repository.findClaims(database, domain);
    const own = claims.find((claim) => claim.userId === userId);
    if (own === undefined) {
      throw new AppError('NOT_FOUND', { message: `You have no redirect for ${domain}; create one first.` });
    }
    if (claims.some((claim) => claim !== own && claim.verifiedAt !== null))
      throw domainTaken(domain, 'domain');
    return own;
  }

  /** Marks the redirect verified, if that is still right by the time it is committed. */
  const settle = (claim: Redirect, result: VerificationResult): Promise<VerificationOutcome> =>
    outbox.commit(async (tx, record) => {
      await repository.lockGraph(tx);
      const current = await repository.findByIdForUpdate(tx, claim.id);
      if (current === undefined) {
        throw new AppError('NOT_FOUND', {
          message: `You have no redirect for ${claim.fromDomain}; create one first.`,
        });
      }
      if (current.verifiedAt !== null) return { kind: 'alreadyVerified', found: result.found };
      await requireNotTaken(tx, current);
      const loop = (await repository.findLoop(tx, current)) ?? (await findLoopOfRedirect(tx, current));
      if (loop === 'too-long') throw chainTooLong();
      if (loop !== undefined) return { kind: 'wouldCloseLoop', path: loop };
      const verified = await repository.markVerified(tx, current.id);
      record(verified.fromDomain);
      await announceVerified(tx, verified);
      return result;
    });

  async function requireNotTaken(tx: Queryable, claim: Redirect): Promise<void> {
    const claims = await repository.findClaims(tx, claim.fromDomain);
    if (claims.some(({ id, verifiedAt }) => id !== claim.id && verifiedAt !== null)) {
      throw domainTaken(claim.fromDomain, 'domain');
    }
  }

  const turns = createTurns(Infinity);
  let rechecksSettled = 0;

  const settleInTurn: typeof settle = async (claim, result) => {
    rechecksSettled += 1;
    const end = await turns.take(
      String(rechecksSettled % RECHECKS_SETTLED_AT_ONCE),
      new AbortController().signal,
    );
    try {
      return await settle(claim, result);
    } finally {
      end?.();
    }
  };

  async function outcomeOf(claim: Redirect, settleAs = settle): Promise<VerificationOutcome> {
    const result = await verifier.check(claim.fromDomain, claim.verificationValue);
    if (claim.verifiedAt !== null) return { kind: 'alreadyVerified', found: result.found };
    return isVerified(result) ? settleAs(claim, result) : result;
  }

  return {
    async verify(userId, input) {
      const domain = requireFromDomain(input, 'domain');
      const claim = await claimOf(userId, domain);
      const outcome = await outcomeOf(claim);
      return verificationReport(domain, claim.verificationValue, outcome, new Date());
    },
    recheck: (claim) => outcomeOf(claim, settleInTurn),
  };
}
