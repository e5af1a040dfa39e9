import type { ControlplaneConfig } from '../shared/config/config.js';
import { START_BYTES, writeProblem } from '../shared/process/write-problem.js';
import { type Probes, UnreadyError } from './http/operations.js';
import type { Publishing } from './publishing/publishing.js';
import type { BackgroundStore } from './storage/clickhouse/open-store-in-background.js';
import type { Database } from './storage/postgres/database.js';

export interface ProbedParts {
  readonly config: ControlplaneConfig;
  readonly database: Database;
  readonly store: BackgroundStore;
  readonly publishing: Publishing;
}

/** Returns the probes of `/readyz`. Parts of `sideProbes` are shown and do not make the answer 503. */
export function createProbes({ config, database, store, publishing }: ProbedParts) {
  const { redis } = publishing;
  const probes = {
    async database() {
      if (database.kind !== 'embedded') return database.ping();
      refuseUnready(diskProblem(await writeProblem(config.dataDir)));
      try {
        await database.ping();
      } catch (error) {
        // It ends itself when it cannot write, and is opened again when there is this much room.
        refuseUnready(diskProblem(await writeProblem(config.dataDir, START_BYTES)));
        throw error;
      }
    },
    rulesets: async () => refuseUnready(publishing.problem()),
  } satisfies Probes;
  const sideProbes: Probes = {
    analytics: async () => {
      refuseUnready(store.problem);
      await store.ping();
    },
    ...(redis !== undefined && {
      redis: () => redis.ping(),
      publishing: async () => refuseUnready(redis.delay()),
    }),
  };
  return { probes, sideProbes };
}

function diskProblem(problem: string | undefined): string | undefined {
  return problem && `DATA_DIR cannot be written to: ${problem}. Changes are refused until there is room.`;
}

function refuseUnready(reason: string | undefined): void {
  if (reason !== undefined) throw new UnreadyError(reason);
}
