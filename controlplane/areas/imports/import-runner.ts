import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { AppError, type ErrorBody, errorBody } from '../../errors/app-error.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { PlanOf } from '../../plan.js';
import type { Database } from '../../storage/postgres/database.js';
import type { Import } from './import.js';
import { importRepository } from './import-repository.js';
import { finishImport, type ImportWork } from './import-turn.js';

/** Time between searches for new imports. */
const POLL_INTERVAL_MS = 500;
/** Duration of a claim. Another process may take over the import afterwards. */
const CLAIM_SECONDS = 10;
const RENEWAL_INTERVAL_MS = 2_500;
/** Maximum duration of a user's turn before the next user's. */
const TURN_MS = 2_000;
/** Claims without progress, after which an import is given up. */
const MAX_ATTEMPTS = 5;

/** Works on imports. Only one of several control planes works on an import at a time. */
export interface ImportRunner extends BackgroundWork {
  /** Works until no import is left or `stop` is called. Resolves to the number of turns. */
  runRound(): Promise<number>;
}

export interface ImportRunnerDeps {
  readonly database: Database;
  readonly partByPart: ImportWork;
  readonly inOneTransaction: ImportWork;
  readonly planOf: PlanOf;
  readonly logger: Logger;
}

export function createImportRunner(deps: ImportRunnerDeps): ImportRunner {
  const { database, partByPart, inOneTransaction, planOf, logger } = deps;
  const claimant = randomUUID();
  const stopping = new AbortController();

  async function runTurn(one: Import): Promise<void> {
    const ending = new AbortController();
    const renewal = setInterval(() => {
      importRepository.renew(database, one.id, claimant, CLAIM_SECONDS).then(
        (isClaimed) => {
          if (!isClaimed) ending.abort();
        },
        (error: unknown) => logger.debug({ err: error }, 'the claim of an import could not be renewed'),
      );
    }, RENEWAL_INTERVAL_MS);
    const signal = AbortSignal.any([ending.signal, stopping.signal]);
    try {
      const user = { ...one.by, scopes: [], plan: await planOf(one.userId) };
      const turn = { claimant, user, signal, untilMs: Date.now() + TURN_MS };
      const isWhole = one.kind === 'paths' || (one.mode === 'all_or_nothing' && !one.dryRun);
      await (isWhole ? inOneTransaction(one, turn) : partByPart(one, turn));
    } catch (error) {
      if (!signal.aborted) await fail(one, error);
    } finally {
      clearInterval(renewal);
      await importRepository.release(database, one.id, claimant);
    }
  }

  /** Ends an import that is refused as a whole. After other failures the import is tried again a few times. */
  async function fail(one: Import, error: unknown): Promise<void> {
    const failWith = (reason: ErrorBody['error']) =>
      database.transaction((tx) => finishImport(tx, one.id, claimant, 'failed', reason));
    if (error instanceof AppError) return failWith(errorBody(error).error);
    logger.warn({ err: error, import: one.id }, 'an import was interrupted');
    if (one.attempts < MAX_ATTEMPTS) throw error;
    return failWith({
      code: 'INTERNAL_ERROR',
      message: 'The import could not be finished; rows that are done stay done. Send the rest again.',
    });
  }

  async function runRound(): Promise<number> {
    for (let turns = 0; ; turns += 1) {
      if (stopping.signal.aborted) return turns;
      const one = await importRepository.claim(database, claimant, CLAIM_SECONDS);
      if (one === undefined) return turns;
      await runTurn(one);
    }
  }

  const work = createBackgroundWork({
    intervalMs: POLL_INTERVAL_MS,
    runRound,
    logger,
    failure: 'imports are interrupted; trying again shortly',
  });
  return {
    start: work.start,
    runRound,
    stop() {
      stopping.abort();
      return work.stop();
    },
  };
}
