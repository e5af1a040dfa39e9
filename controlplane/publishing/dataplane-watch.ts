import type { Logger } from 'pino';
import { formatIdentity } from '../../shared/ruleset/ruleset-version.js';
import { type BackgroundWork, createBackgroundWork } from '../jobs/background-work.js';
import type { DataplaneReports } from './dataplane-reports.js';
import type { PublicationGuard } from './publication-guard.js';

const ROUND_INTERVAL_MS = 2_000;
/** Different versions that are compared in one round; data planes that keep up share one or two. */
const MOST_VERSIONS = 32;

export interface DataplaneWatchDeps {
  readonly reports: DataplaneReports;
  readonly guard: Pick<PublicationGuard, 'overtake' | 'refusal'>;
  readonly logger: Logger;
}

/**
 * Compares what data planes say they serve with the database. One that is ahead, or has another history, refuses what it
 * is sent from then on; a new epoch brings it back.
 */
export function createDataplaneWatch({ reports, guard, logger }: DataplaneWatchDeps): BackgroundWork & {
  runRound(): Promise<void>;
} {
  async function runRound(): Promise<void> {
    if (guard.refusal !== undefined) return;
    // The reports before the database: nobody who keeps up is seen ahead of it.
    const seen = new Set<string>();
    for (const { host, pid, version } of await reports.list()) {
      if (version === null || seen.has(formatIdentity(version))) continue;
      if (seen.size === MOST_VERSIONS) return;
      seen.add(formatIdentity(version));
      await guard.overtake({ place: `the data plane ${pid} on ${host}`, version });
    }
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'what the data planes serve could not be compared with the database; trying again shortly',
  });
  return { ...work, runRound };
}
