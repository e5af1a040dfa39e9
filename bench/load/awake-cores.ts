import { fileURLToPath } from 'node:url';
import { parseCoreList } from '../harness/processor-cores.js';
import type { Bench } from '../scenarios/scenario.js';

const FILE = fileURLToPath(new URL('./awake-process.js', import.meta.url));
const STOP_LIMIT_MS = 5_000;

/**
 * Runs `work` while helper processes keep the load's cores awake. They yield to the load generator immediately. Over
 * the loopback, the server's `send` wakes a waiting generator, and waking or interrupting another core takes
 * microseconds on a virtual machine. The server would pay for every answer that finds the generator idle, and a slower
 * server would pay more often. The generator must also be patient (see `LaunchOptions`), otherwise part of this cost
 * remains.
 */
export async function withAwakeCores<Result>(
  { processes, cores }: Pick<Bench, 'processes' | 'cores'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const launched = await Promise.all(
    parseCoreList(cores.load).map((core) =>
      processes.launch(process.execPath, [FILE], { cores: String(core), channel: true }),
    ),
  );
  try {
    return await work();
  } finally {
    await Promise.all(launched.map((one) => processes.end(one, STOP_LIMIT_MS)));
  }
}
