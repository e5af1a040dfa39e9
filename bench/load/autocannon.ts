import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildProcesses } from '../harness/child-processes.js';
import { withinTime } from '../harness/time-limit.js';
import type { LoadGenerator, LoadOptions, LoadResult } from './load-generator.js';

const ENTRY = fileURLToPath(new URL('./autocannon-process.js', import.meta.url));
const EXTRA_TIME_MS = 15_000;

/** What the process is asked for. */
export type AutocannonOrder = Pick<LoadOptions, 'port' | 'requests' | 'connections' | 'seconds'>;

/** What it answers. */
export type AutocannonAnswer = { readonly result: LoadResult } | { readonly failure: string };

/**
 * autocannon, in a process of its own. It comes with npm and so runs everywhere, but takes several times the CPU
 * of the servers: they are not saturated, and wake up for fewer requests at a time.
 */
export const autocannonLoad: LoadGenerator = {
  name: 'autocannon',
  async run(processes: ChildProcesses, options: LoadOptions): Promise<LoadResult> {
    const { port, requests, connections, seconds, cores } = options;
    const launched = await processes.launch(process.execPath, [ENTRY], { cores, channel: true });
    const order: AutocannonOrder = { port, requests, connections, seconds };
    launched.child.send(order);
    const ended = launched.ended.then((code): never => {
      throw new Error(`autocannon ended with ${code}: ${launched.complaints()}`);
    });
    const answered = once(launched.child, 'message').then(([message]: AutocannonAnswer[]) => message);
    const limitMs = seconds * 1000 + EXTRA_TIME_MS;
    const answer = await withinTime(Promise.race([answered, ended]), limitMs, 'a run of autocannon');
    await processes.end(launched, EXTRA_TIME_MS);
    if (answer === undefined || 'failure' in answer) throw new Error(`autocannon: ${answer?.failure}`);
    return answer.result;
  },
};
