import { fileURLToPath } from 'node:url';
import { parseCoreList } from '../harness/processor-cores.js';
import type { Bench } from '../scenarios/scenario.js';

const FILE = fileURLToPath(new URL('./awake-process.js', import.meta.url));
const STOP_LIMIT_MS = 5_000;

/**
 * Does `work` while the cores of the load are kept from sleeping, by processes that give way as soon as the load generator
 * has something to do. Over the loopback it is the server's `send` that wakes a generator which waits for it, and to wake or
 * interrupt another core takes microseconds on a virtual machine: a server would pay for each of its answers that finds
 * the generator idle, and the more so the more time it takes itself. For nothing of it to be left, the generator has to be
 * patient (see `LaunchOptions`).
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
