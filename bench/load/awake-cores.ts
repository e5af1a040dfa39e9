import { fileURLToPath } from 'node:url';
import { parseCoreList } from '../harness/processor-cores.js';
import type { Bench } from '../scenarios/scenario.js';

const FILE = fileURLToPath(new URL('./awake-process.js', import.meta.url));
const STOP_LIMIT_MS = 5_000;

/**
 * Does `work` while the cores of the load are kept from sleeping. Over the loopback it is the server's `send` that wakes a
 * load generator which waits for it, and on a virtual machine this takes microseconds: without, a server would pay for
 * each of its answers that finds the generator idle, and the more so the more time it takes itself.
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
