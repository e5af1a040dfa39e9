import type { Logger } from 'pino';
import { AppError, errorBody } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { PlanOf } from '../../plan.js';
import type { Database } from '../../storage/postgres/database.js';
import { redirectRepository } from '../redirects/public.js';
import { emit } from '../webhooks/public.js';
import type { DefinitionApplier } from './apply-definition.js';
import { type Draft, type DraftError, DraftOutdatedError } from './draft.js';
import { draftRepository } from './draft-repository.js';

/** Time between searches for due drafts. */
const POLL_INTERVAL_MS = 1_000;
/**
 * Duration of a claim. Another attempt follows afterwards. Two concurrent attempts publish once, so the claim only
 * saves work.
 */
const CLAIM_SECONDS = 10;
/** Maximum attempts that fail with an internal error. */
const MAX_ATTEMPTS = 5;

export interface DraftPublisherDeps {
  readonly database: Database;
  readonly applier: Pick<DefinitionApplier, 'publish'>;
  readonly planOf: PlanOf;
  readonly logger: Logger;
}

/**
 * Publishes drafts at their time. Only one of several control planes publishes a draft. A round resolves to the number
 * of attempts.
 */
export function createDraftPublisher(deps: DraftPublisherDeps): RoundWork<number> {
  const { database, applier, planOf, logger } = deps;
  async function publish(draft: Draft): Promise<void> {
    try {
      const user = await userOf(draft);
      await applier.publish(user, draft, ({ version }) => {
        if (version !== draft.baseVersion) throw new DraftOutdatedError(draft.baseVersion, version);
      });
    } catch (error) {
      await fail(draft, error);
    }
  }

  async function userOf({ userId, publishBy }: Draft): Promise<CurrentUser> {
    return { email: null, ...publishBy, id: userId, scopes: [], plan: await planOf(userId) };
  }

  /**
   * Stores the reason why a draft was refused, and notifies the owner. After an internal error, another attempt
   * follows.
   */
  async function fail(draft: Draft, error: unknown): Promise<void> {
    const refusal = error instanceof AppError && error.status < 500 ? error : undefined;
    if (refusal === undefined) {
      logger.warn({ err: error, redirect: draft.redirectId }, 'a draft could not be published');
      if (draft.attempts < MAX_ATTEMPTS) return;
    }
    const { redirectId, userId, publishAt } = draft;
    const lastError = draftError(refusal ?? givenUp());
    await database.transaction(async (tx) => {
      // A draft that has since been changed or published has not failed.
      if (!(await draftRepository.fail(tx, draft, lastError))) return;
      const domain = (await redirectRepository.findById(tx, redirectId))?.fromDomain ?? null;
      const data = { redirectId, domain, publishAt: publishAt?.toISOString() ?? null, error: lastError };
      await emit(tx, userId, 'draft.failed', data);
    });
  }

  async function runRound(): Promise<number> {
    for (let attempts = 0; ; attempts += 1) {
      if (work.isStopping()) return attempts;
      const draft = await draftRepository.claimDue(database, CLAIM_SECONDS);
      if (draft === undefined) return attempts;
      await publish(draft);
    }
  }

  const work = createBackgroundWork({
    intervalMs: POLL_INTERVAL_MS,
    runRound,
    logger,
    failure: 'drafts cannot be published at their time; trying again shortly',
    beginsAtOnce: true,
  });
  return work;
}

function draftError(error: AppError): DraftError {
  return { ...errorBody(error).error, at: new Date().toISOString() };
}

function givenUp(): AppError {
  const message = 'The draft could not be published because of an error of the service. Publish it again.';
  return new AppError('INTERNAL_ERROR', { message });
}
