import { randomUUID } from 'node:crypto';
import { createSerialQueue } from '../../../shared/async/serial-queue.js';
import type { AreaParts } from '../../area.js';
import { AppError, errorBody } from '../../errors/app-error.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { readVersionMarks } from '../history/public.js';
import type { RedirectService } from '../redirects/public.js';
import type { StartJudging } from './judging.js';
import type { Replay } from './replay.js';
import { tableOf } from './replay-definition.js';
import { replayRepository } from './replay-repository.js';
import { runReplay } from './replay-run.js';
import { createVisitReader } from './visit-reader.js';

const POLL_INTERVAL_MS = 500;
/** Duration of a claim. Afterwards another process may take over the replay and start it again. */
const CLAIM_SECONDS = 10;
const RENEWAL_INTERVAL_MS = 2_000;
/** Concurrent replays of different users. A long one then does not delay a short one. */
const LANES = 2;
/** Claims after which a replay is given up. */
const MAX_ATTEMPTS = 5;
/** Longest time of one statement, its turn included. */
const STATEMENT_MS = 120_000;

/** Works on replays. Only one of several control planes works on a replay at a time. */
export interface ReplayRunner extends BackgroundWork {
  /** Works until no replay is left or `stop` is called. */
  runRound(): Promise<void>;
}

export interface ReplayRunnerDeps extends Pick<AreaParts, 'database' | 'store' | 'logger'> {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly startJudging: StartJudging;
}

export function createReplayRunner(deps: ReplayRunnerDeps): ReplayRunner {
  const { database, store, redirects, startJudging, logger } = deps;
  const claimant = randomUUID();
  const stopping = new AbortController();
  /** Lanes claim one after the other. Together they could claim two replays of one user. */
  const claims = createSerialQueue();

  async function work(replay: Replay): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, stopping.signal]);
    let progress = 0;
    const renewal = setInterval(() => {
      replayRepository.renew(database, replay.id, claimant, { seconds: CLAIM_SECONDS, progress }).then(
        (isClaimed) => {
          if (!isClaimed) ending.abort();
        },
        (error: unknown) => logger.debug({ err: error }, 'the claim of a replay could not be renewed'),
      );
    }, RENEWAL_INTERVAL_MS);
    try {
      const result = await runReplay({
        order: replay.order,
        pages: await pagesOf(replay),
        reader: createVisitReader(store, replay.redirectId, {
          owner: replay.userId,
          isBackground: true,
          withinMs: STATEMENT_MS,
          signal,
        }),
        marks: await readVersionMarks(database, replay.redirectId, replay.order.period),
        startJudging,
        signal,
        onProgress(reached) {
          progress = reached;
        },
      });
      await replayRepository.finish(database, replay.id, claimant, { state: 'finished', result });
    } catch (error) {
      if (!signal.aborted) await fail(replay, error);
    } finally {
      clearInterval(renewal);
      await replayRepository.release(database, replay.id, claimant);
    }
  }

  /** Opens the table of paths that the definition names. @throws {AppError} when the stored one has changed */
  async function pagesOf({ order, redirectId, userId }: Replay) {
    if (order.definition.paths === undefined) return undefined;
    const redirect = await redirects.requireOwned(redirectId, userId);
    const { destination: toDomain, queryForwarding } = order.definition;
    const table = await tableOf(database, { ...redirect, toDomain, queryForwarding }, order.draftTable);
    if (order.draftTable === undefined && table.version !== order.tableVersion) {
      throw new AppError('VALIDATION_ERROR', {
        message: 'The table of paths was changed before the replay began. Start the replay again.',
      });
    }
    return table.pages;
  }

  /** Ends a replay that is impossible. After other failures the replay is tried again a few times. */
  async function fail(replay: Replay, error: unknown): Promise<void> {
    if (error instanceof AppError) {
      const { error: body } = errorBody(error);
      await replayRepository.finish(database, replay.id, claimant, { state: 'failed', error: body });
      return;
    }
    logger.warn({ err: error, replay: replay.id }, 'a replay was interrupted');
    if (replay.attempts < MAX_ATTEMPTS) throw error;
    const message = 'The replay could not be finished. Start it again, perhaps with a shorter period.';
    await replayRepository.finish(database, replay.id, claimant, {
      state: 'failed',
      error: { code: 'INTERNAL_ERROR', message },
    });
  }

  async function runLane(): Promise<void> {
    while (!stopping.signal.aborted) {
      const replay = await claims.run(() => replayRepository.claim(database, claimant, CLAIM_SECONDS));
      if (replay === undefined) return;
      await work(replay);
    }
  }

  async function runRound(): Promise<void> {
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, runLane));
    const failed = lanes.find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  const background = createBackgroundWork({
    intervalMs: POLL_INTERVAL_MS,
    runRound,
    logger,
    failure: 'replays are interrupted; trying again shortly',
  });
  return {
    start: background.start,
    runRound,
    stop() {
      stopping.abort();
      return background.stop();
    },
  };
}
