import { createClickIds } from '../../../shared/visitor/click-id.js';
import type { Area, AreaParts } from '../../area.js';
import { createShownVisitor } from '../analytics/public.js';
import type { RedirectService } from '../redirects/public.js';
import { createPostConversions } from './conversion-service.js';
import { type ConversionUpkeep, createConversionUpkeep } from './conversion-upkeep.js';
import { createRequireExperiment } from './experiment.js';
import { createExperimentRoutes } from './experiment-routes.js';
import { createReadResults } from './results-service.js';
import { createVisitorLookup } from './visitor-lookup.js';

export interface ExperimentsDeps extends Pick<AreaParts, 'database' | 'store' | 'logger'> {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  /** The installation's secrets. Shown visitor ids and click ids are derived from them. */
  readonly secrets: { readonly current: Buffer; readonly previous: readonly Buffer[] };
  /** Days for which a user's plan keeps hits; undefined is for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Results of experiments, and the conversions that owners report. */
export function createExperiments(deps: ExperimentsDeps): Area & { readonly upkeep: ConversionUpkeep } {
  const { database, store, redirects, secrets, retentionDaysOf, logger, now = () => new Date() } = deps;
  const requireExperiment = createRequireExperiment(database, redirects);
  const findVisitors = createVisitorLookup(
    // A separate cache: a search would replace the entries in the cache of the statistics.
    createShownVisitor(secrets.current),
    [secrets.current, ...secrets.previous].map(createClickIds),
  );
  const shared = { database, store, requireExperiment, retentionDaysOf, now };
  const upkeep = createConversionUpkeep({ database, store, logger });
  return {
    upkeep,
    routes: [
      createExperimentRoutes(createReadResults(shared), createPostConversions({ ...shared, findVisitors })),
    ],
    jobs: [upkeep],
  };
}
