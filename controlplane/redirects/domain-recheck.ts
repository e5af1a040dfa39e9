import type { Logger } from 'pino';
import { type BackgroundWork, createBackgroundWork } from '../background/background-work.js';
import type { Database } from '../database/database.js';
import { AppError } from '../errors/app-error.js';
import type { RedirectRepository } from './redirect-repository.js';
import type { VerificationService } from './verification-service.js';

const ROUND_INTERVAL_MS = 15_000;
/** Checks of one round run together: each waits on name servers, not on us. */
const CHECKS_PER_ROUND = 8;
const FIRST_DELAY_SECONDS = 60;
const MAX_DELAY_SECONDS = 6 * 3600;
const GIVE_UP_AFTER_DAYS = 30;

export interface DomainRecheckDeps {
  readonly database: Database;
  readonly repository: RedirectRepository;
  readonly verification: VerificationService;
  readonly logger: Logger;
}

/**
 * Checks pending domains in the background, each with growing pauses (1 minute, doubled up to 6 hours) until it
 * is 30 days old. Verifying by hand stays possible for ever. Several control planes share the work.
 */
export interface DomainRecheck extends BackgroundWork {
  /** Checks what is due now. Resolves to the number of domains looked at. */
  runRound(): Promise<number>;
}

export function createDomainRecheck({
  database,
  repository,
  verification,
  logger,
}: DomainRecheckDeps): DomainRecheck {
  async function runRound(): Promise<number> {
    const due = await repository.takeDueForCheck(database, {
      limit: CHECKS_PER_ROUND,
      delaySeconds: FIRST_DELAY_SECONDS,
      maxDelaySeconds: MAX_DELAY_SECONDS,
      giveUpAfterDays: GIVE_UP_AFTER_DAYS,
    });
    await Promise.all(
      due.map(async (redirect) => {
        try {
          if (await verification.recheck(redirect))
            logger.info({ domain: redirect.fromDomain }, 'domain verified');
        } catch (error) {
          // Taken by somebody else, or deleted meanwhile: an answer, not a failure.
          if (!(error instanceof AppError))
            logger.warn({ err: error, domain: redirect.fromDomain }, 'check failed');
        }
      }),
    );
    return due.length;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'the round of domain checks failed; trying again at the next one',
  });
  return { ...work, runRound };
}
