import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chooseLoad, type LoadName } from '../load/choose-load.js';
import type { Bench } from '../scenarios/scenario.js';
import { createChildProcesses } from './child-processes.js';
import { shareOutCores } from './processor-cores.js';
import { withinTime } from './time-limit.js';

/** Time limits for hung processes. Slow ones stay far below them. */
const QUICK_LIMIT_MS = 10 * 60_000;
const FULL_LIMIT_MS = 60 * 60_000;
const LONG_LIMIT_MS = 6 * 3_600_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface BenchOptions extends Pick<Bench, 'quick' | 'hits' | 'dataDir' | 'services'> {
  /** The load generator; undefined leaves the choice to `chooseLoad`. */
  readonly load: LoadName | undefined;
  /** Whether one of the scenarios takes hours. */
  readonly isLong: boolean;
}

/**
 * Prepares this process for measuring, does `work` and cleans up. Leaves no process and no folder behind, even if
 * `work` fails, takes too long or is interrupted.
 */
export async function withBench<T>(
  { quick, hits, dataDir, services, isLong, load: loadName }: BenchOptions,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const load = chooseLoad(loadName);
  const cores = shareOutCores();
  const processes = createChildProcesses(cores);
  const workFolder = await mkdtemp(path.join(os.tmpdir(), 'waymark-bench-'));
  const cleanUp = () => {
    processes.killAll();
    rmSync(workFolder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', cleanUp);
  for (const [signal, exitCode] of Object.entries(SIGNALS))
    process.once(signal, () => process.exit(exitCode));

  const say = (line: string) => console.error(line);
  const placement = cores.canPin
    ? `servers on core ${cores.server}, load on ${cores.load}`
    : 'nothing is held to a core here: figures are for orientation';
  say(`load by ${load.name}; ${placement}`);
  try {
    const shortLimitMs = quick ? QUICK_LIMIT_MS : FULL_LIMIT_MS;
    const limitMs = isLong ? LONG_LIMIT_MS : shortLimitMs;
    return await withinTime(
      work({ quick, hits, dataDir, services, processes, cores, load, workFolder, say }),
      limitMs,
      'the benchmark',
    );
  } finally {
    cleanUp();
    process.off('exit', cleanUp);
  }
}
