import type { Logger } from 'pino';
import { AppError } from '../../errors/app-error.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database } from '../../storage/postgres/database.js';
import { isVerified } from '../domains/public.js';
import { createFailingZones } from './failing-zones.js';
import type { Redirect } from './redirect.js';
import type { PostponedCheck, RedirectRepository } from './redirect-repository.js';
import type { VerificationService } from './verification-service.js';

const ROUND_INTERVAL_MS = 5_000;
/** Maximum concurrent checks. Each waits for name servers, up to six seconds if they do not answer. */
const MAX_CHECKS_AT_ONCE = 256;
/** Maximum domains per statement. */
const MAX_TAKEN = 64;
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
 * Checks pending domains in the background, with growing pauses (1 minute, doubled up to 6 hours), until they are 30
 * days old. Users take turns. A zone whose name servers fail is not queried for a while; its domains lose no check.
 * Owners can verify by hand at any time. Control planes share the work. A round resolves to the number of checked
 * domains.
 */
export type DomainRecheck = RoundWork<number>;

export function createDomainRecheck(deps: DomainRecheckDeps): DomainRecheck {
  const { database, repository, verification, logger } = deps;
  const zones = createFailingZones();
  let lastUserId = '';

  async function checkOne(redirect: Redirect, sinceMs: number): Promise<void> {
    const { fromDomain: domain } = redirect;
    if (work.isStopping()) return;
    try {
      const outcome = await verification.recheck(redirect, sinceMs);
      zones.note(domain, outcome.kind);
      if (isVerified(outcome)) logger.info({ domain }, 'domain verified');
    } catch (error) {
      // Another user has verified the domain, or the redirect was deleted. That is a result, not a failure.
      if (!(error instanceof AppError)) logger.warn({ err: error, domain }, 'check failed');
    }
  }

  async function takeDue(limit: number): Promise<Redirect[]> {
    const takeAfter = (afterUserId: string) =>
      repository.takeDueForCheck(database, {
        limit,
        delaySeconds: FIRST_DELAY_SECONDS,
        maxDelaySeconds: MAX_DELAY_SECONDS,
        giveUpAfterDays: GIVE_UP_AFTER_DAYS,
        afterUserId,
      });
    const taken = await takeAfter(lastUserId);
    // Continue with the first user after the last one.
    const due = taken.length === 0 && lastUserId !== '' ? await takeAfter('') : taken;
    lastUserId = due.reduce((last, { userId }) => (userId > last ? userId : last), '');
    return due;
  }

  async function runRound(): Promise<number> {
    const underWay = new Set<Promise<void>>();
    try {
      return await takeAll(underWay);
    } finally {
      await Promise.all(underWay);
    }
  }

  /** Starts the checks of due domains; `underWay` contains the running ones. Resolves to the number of domains. */
  async function takeAll(underWay: Set<Promise<void>>): Promise<number> {
    const sinceMs = performance.now();
    let count = 0;
    while (!work.isStopping()) {
      const due = await takeDue(MAX_TAKEN);
      if (due.length === 0) break;
      count += due.length;
      const postponed: PostponedCheck[] = [];
      for (const redirect of due) {
        const waitMs = zones.pauseLeftMs(redirect.fromDomain);
        if (waitMs > 0) {
          postponed.push({ redirectId: redirect.id, waitMs });
          continue;
        }
        const check = checkOne(redirect, sinceMs).finally(() => underWay.delete(check));
        underWay.add(check);
      }
      if (postponed.length > 0) await repository.postponeChecks(database, postponed);
      while (underWay.size > MAX_CHECKS_AT_ONCE - MAX_TAKEN) await Promise.race(underWay);
    }
    return count;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'the round of domain checks failed; trying again at the next one',
  });
  return work;
}
