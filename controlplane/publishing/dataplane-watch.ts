import type { Logger } from 'pino';
import { formatIdentity } from '../../shared/ruleset/ruleset-version.js';
import { createBackgroundWork, type RoundWork } from '../jobs/background-work.js';
import type { DataplaneReports } from './dataplane-reports.js';
import type { PublicationGuard } from './publication-guard.js';

const ROUND_INTERVAL_MS = 2_000;
/** Maximum number of different versions that are compared in one round. Healthy data planes share one or two. */
const MOST_VERSIONS = 32;

export interface DataplaneWatchDeps {
  readonly reports: DataplaneReports;
  readonly guard: Pick<PublicationGuard, 'overtake' | 'refusal'>;
  readonly logger: Logger;
}

/**
 * Compares the reported versions of data planes with the database. A data plane that is ahead, or has another
 * history, refuses all changes; a new epoch repairs it.
 */
export function createDataplaneWatch({ reports, guard, logger }: DataplaneWatchDeps): RoundWork {
  async function runRound(): Promise<void> {
    if (guard.refusal !== undefined) return;
    // Reports first, then the database: no healthy data plane appears ahead of it.
    const seen = new Set<string>();
    for (const { host, pid, version } of await reports.list()) {
      if (version === null || seen.has(formatIdentity(version))) continue;
      if (seen.size === MOST_VERSIONS) return;
      seen.add(formatIdentity(version));
      await guard.overtake({ place: `the data plane ${pid} on ${host}`, version });
    }
  }

  return createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'what the data planes serve could not be compared with the database; trying again shortly',
  });
}
