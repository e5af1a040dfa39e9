import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { createExplainHit } from './hit-explanation.js';
import type { StartJudging } from './judging.js';
import { replayRepository } from './replay-repository.js';
import { createReplayRetention } from './replay-retention.js';
import { createReplayRoutes } from './replay-routes.js';
import { createReplayRunner, type ReplayRunner } from './replay-runner.js';
import { createReplayService, type ReplayServiceDeps } from './replay-service.js';
import { startJudging } from './start-judging.js';

export interface ReplaysDeps
  extends Pick<ReplayServiceDeps, 'retentionDaysOf' | 'draftOf' | 'stateOf' | 'clock'> {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  /** Default: in a thread. */
  readonly startJudging?: StartJudging;
  readonly logger: Logger;
}

/** Replays of recorded visits, and explanations of single ones. */
export function createReplays(deps: ReplaysDeps): Area & { readonly runner: ReplayRunner } {
  const { database, logger } = deps;
  const repository = replayRepository;
  const runner = createReplayRunner({ startJudging, ...deps, repository });
  const service = createReplayService({ ...deps, repository });
  return {
    runner,
    routes: [createReplayRoutes({ service, explainHit: createExplainHit(deps) })],
    jobs: [runner, createReplayRetention(database, repository, logger)],
  };
}
