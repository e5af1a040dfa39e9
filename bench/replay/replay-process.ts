import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { UNKNOWN_VERSIONS } from '../../controlplane/areas/history/public.js';
import { runReplay } from '../../controlplane/areas/replay/replay-run.js';
import { startJudging } from '../../controlplane/areas/replay/start-judging.js';
import { createVisitReader } from '../../controlplane/areas/replay/visit-reader.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { addGeneratedHits } from '../analytics/generated-hits.js';
import { untilMerged } from '../analytics/until-merged.js';
import { answerOrders } from '../load/load-process.js';
import { type ReplayWorkload, replayedDefinition } from './replay-workload.js';

export interface ReplayOrder {
  readonly dataDir: string;
  readonly hits: number;
  readonly workloads: readonly ReplayWorkload[];
}

/** Cost of a replay. */
export interface ReplayCost {
  readonly workload: ReplayWorkload;
  readonly visits: number;
  /** Processor time of the process, the engine included. */
  readonly cpuUsPerVisit: number;
  readonly visitsPerSecond: number;
  readonly longestTurnMs: number;
  readonly rssMiB: number;
}

const DAYS = 30;
const DAY_MS = 86_400_000;

async function measure({ dataDir, hits, workloads }: ReplayOrder): Promise<readonly ReplayCost[]> {
  const store = await openMigratedStore({ dataDir }, pino({ level: 'silent' }));
  try {
    await addGeneratedHits(store, { redirectId: 'different', count: hits, visitors: hits, days: DAYS });
    // Visits of a redirect that forwards no paths have one destination.
    await store.command(
      `INSERT INTO hits SELECT * REPLACE ('alike' AS redirect_id, 'https://destination.example' AS destination_url)
       FROM (SELECT * FROM hits WHERE redirect_id = 'different')`,
    );
    // Merges of the hits that were just inserted would count as work of the replay.
    await untilMerged(store);
    const costs: ReplayCost[] = [];
    for (const workload of workloads) costs.push(await measureOne(workload, hits));
    return costs;
  } finally {
    await store.close();
  }

  async function measureOne(workload: ReplayWorkload, expected: number): Promise<ReplayCost> {
    const nowMs = Date.now();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAtMs = performance.now();
    const before = process.cpuUsage();
    const { visits } = await runReplay({
      order: {
        definition: replayedDefinition(workload),
        tableVersion: 0,
        ruleNames: [],
        loop: [],
        period: { fromMs: nowMs - (DAYS + 1) * DAY_MS, toMs: nowMs + DAY_MS },
        sample: hits,
      },
      pages: undefined,
      reader: createVisitReader(store, workload, {}),
      marks: UNKNOWN_VERSIONS,
      startJudging,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    const { user, system } = process.cpuUsage(before);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    delay.disable();
    if (visits.replayed !== expected)
      throw new Error(`${visits.replayed} of ${expected} visits were replayed`);
    return {
      workload,
      visits: visits.replayed,
      cpuUsPerVisit: (user + system) / visits.replayed,
      visitsPerSecond: visits.replayed / seconds,
      longestTurnMs: delay.max / 1e6,
      rssMiB: process.memoryUsage().rss / 1_048_576,
    };
  }
}

answerOrders(measure);
