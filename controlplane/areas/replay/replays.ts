import type { Area, AreaParts } from '../../area.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { createExplainHit } from './hit-explanation.js';
import type { StartJudging } from './judging.js';
import { replayRepository } from './replay-repository.js';
import { createReplayRoutes } from './replay-routes.js';
import { createReplayRunner, type ReplayRunner } from './replay-runner.js';
import { createReplayService, type ReplayServiceDeps } from './replay-service.js';
import { startJudging } from './start-judging.js';

export interface ReplaysDeps extends ReplayServiceDeps, Pick<AreaParts, 'logger'> {
  /** Default: in a thread. */
  readonly startJudging?: StartJudging;
}

/** Replays of recorded visits, and explanations of single ones. */
export function createReplays(deps: ReplaysDeps): Area & { readonly runner: ReplayRunner } {
  const runner = createReplayRunner({ startJudging, ...deps });
  return {
    runner,
    routes: [createReplayRoutes(createReplayService(deps), createExplainHit(deps))],
    jobs: [runner, createReplayRetention(deps)],
  };
}

const ROUND_INTERVAL_MS = 10 * 60_000;
const KEPT = { days: 30, perUser: 50 };

/** Deletes replays that are old or beyond the newest 50 of a user. */
function createReplayRetention({ database, logger }: Pick<AreaParts, 'database' | 'logger'>): BackgroundWork {
  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    async runRound() {
      while (!work.isStopping() && (await replayRepository.deleteOld(database, KEPT)));
    },
    logger,
    failure: 'old replays could not be deleted; trying again shortly',
    beginsAtOnce: true,
  });
  return work;
}
