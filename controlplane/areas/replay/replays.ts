import type { Area, AreaParts } from '../../area.js';
import { createExplainHit } from './hit-explanation.js';
import type { StartJudging } from './judging.js';
import { createReplayRetention } from './replay-retention.js';
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
