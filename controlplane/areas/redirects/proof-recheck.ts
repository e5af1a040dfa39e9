import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { OwnerMails } from '../../mail/owner-mails.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createTurns } from '../../storage/postgres/turns.js';
import {
  type DomainVerifier,
  isVerified,
  type VerificationResult,
  verificationRecord,
} from '../domains/public.js';
import { emit } from '../webhooks/public.js';
import { isProofGone, unverify } from './domain-ownership.js';
import { createFailingZones } from './failing-zones.js';
import { lockLoopGraph } from './loops/loop-graph.js';
import { PROOF_MAILS } from './proof-mails.js';
import { type DueProof, proofRepository } from './proof-repository.js';
import { redirectRepository } from './redirect-repository.js';
import { zoneProofs } from './zone-proofs.js';

const ROUND_INTERVAL_MS = 15_000;
const MAX_AT_ONCE = 32;
/** Maximum missing proofs that are stored concurrently. Each holds a connection, and requests need connections too. */
const SETTLED_AT_ONCE = 2;
/** Maximum verified domains per statement of the sweep. */
const SWEEP_LIMIT = 2_000;
/** Pause between two statements. Without it, a million domains kept the database busy for 6 s after each start. */
const SWEEP_PAUSE_MS = 100;
const SWEEP_INTERVAL_MS = 24 * 3_600_000;

/** Hours until the next check: after a proof was found, after it was missing, and after a failed look-up. */
const FOUND_HOURS = 24;
const MISSING_HOURS = 6;
const RETRY_HOURS = 2;
/** Days for which a proof may be missing before the domain is no longer verified. */
export const GRACE_DAYS = 7;
const DAY_MS = 86_400_000;
/**
 * Minimum time between two mails of one kind to an owner. A zone can hold thousands of domains, and the mail says that
 * others may be affected.
 */
const MAIL_PAUSE_HOURS = 1;

export interface ProofRecheckDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly verifier: DomainVerifier;
  readonly ownerMails: OwnerMails;
  readonly logger: Logger;
  /** Unix time. Default: the system's clock. */
  readonly nowMs?: () => number;
}

/**
 * Checks the proofs of verified domains once a day, spread over the day. A missing proof may be restored within seven
 * days. Only definite answers of DNS count: a domain whose name servers fail stays verified. Control planes share the
 * work. A round resolves to the number of checked proofs.
 */
export type ProofRecheck = RoundWork<number>;

export function createProofRecheck(deps: ProofRecheckDeps): ProofRecheck {
  const { database, outbox, verifier, ownerMails, logger, nowMs = Date.now } = deps;
  const zones = createFailingZones();
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  async function sweep(): Promise<void> {
    if (performance.now() - sweptAtMs < SWEEP_INTERVAL_MS) return;
    let after: string | undefined = '';
    while (after !== undefined && !work.isStopping()) {
      after = await proofRepository.sweep(database, after, SWEEP_LIMIT);
      await sleep(SWEEP_PAUSE_MS);
    }
    if (!work.isStopping()) sweptAtMs = performance.now();
  }

  const settleMissing = (proof: DueProof): Promise<void> =>
    outbox.commit(async (tx, record) => {
      const { redirectId, domain, userId, verificationValue, missingSince } = proof;
      const txt = verificationRecord(domain, verificationValue);
      // Take the lock of the graph only if the domain may be lost now, because all changes wait for this lock.
      const mayLose = missingSince !== null && missingSince.getTime() + GRACE_DAYS * DAY_MS <= nowMs();
      if (mayLose) await lockLoopGraph(tx);
      const current = await redirectRepository.findByIdForUpdate(tx, redirectId);
      // The domain was released, or its proof has another value now.
      if (current === undefined || current.verifiedAt === null) return;
      if (current.verificationValue !== verificationValue) return;
      const missing = await proofRepository.markMissing(tx, redirectId, MISSING_HOURS);
      if (missing === undefined) return;
      const endsAt = new Date(missing.since.getTime() + GRACE_DAYS * DAY_MS);
      if (missing.isNew) {
        const data = { redirectId, domain, missingSince: missing.since, unverifiedAt: endsAt };
        await emit(tx, userId, 'domain.proof_missing', data);
        await ownerMails.send(tx, userId, { kind: 'proof_missing', pauseHours: MAIL_PAUSE_HOURS }, (to) =>
          PROOF_MAILS.missing(to, { domain, record: txt, unverifiedAt: endsAt }),
        );
      } else if (mayLose && endsAt.getTime() <= nowMs()) {
        await unverify(tx, record, current, 'proof_missing');
        await ownerMails.send(tx, userId, { kind: 'domain_unverified', pauseHours: MAIL_PAUSE_HOURS }, (to) =>
          PROOF_MAILS.unverified(to, { domain, record: txt }),
        );
        logger.info({ domain }, 'domain no longer verified: its proof is missing');
      }
    });

  const turns = createTurns(Infinity);
  let settled = 0;

  async function settleInTurn(proof: DueProof): Promise<void> {
    settled += 1;
    const end = await turns.take(String(settled % SETTLED_AT_ONCE), new AbortController().signal);
    try {
      await settleMissing(proof);
    } finally {
      end?.();
    }
  }

  async function settle(proof: DueProof, result: VerificationResult): Promise<void> {
    if (isVerified(result)) {
      await proofRepository.markFound(database, proof.redirectId, FOUND_HOURS);
    } else if (isProofGone(result)) await settleInTurn(proof);
    // After a failed look-up, the proof is due again at the time that `takeDue` has set.
  }

  async function checkOne(proof: DueProof, sinceMs: number): Promise<void> {
    if (work.isStopping() || zones.pauseLeftMs(proof.domain) > 0) return;
    try {
      const value = await zoneProofs.findValue(database, proof.userId, proof.domain);
      const zone = value === undefined ? undefined : { value, sinceMs };
      const result = await verifier.check(proof.domain, proof.verificationValue, zone);
      zones.note(proof.domain, result.kind);
      await settle(proof, result);
    } catch (error) {
      logger.warn({ err: error, domain: proof.domain }, 'the check of a proof failed');
    }
  }

  async function runRound(): Promise<number> {
    await sweep();
    const sinceMs = performance.now();
    let count = 0;
    while (!work.isStopping()) {
      const due = await proofRepository.takeDue(database, MAX_AT_ONCE, RETRY_HOURS);
      await Promise.all(due.map((proof) => checkOne(proof, sinceMs)));
      count += due.length;
      if (due.length < MAX_AT_ONCE) break;
    }
    return count;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'the round of proof checks failed; trying again at the next one',
  });
  return work;
}
