import { fileURLToPath } from 'node:url';
import type { ChildProcesses } from '../harness/child-processes.js';
import type { LoadGenerator, LoadOptions, LoadResult } from './load-generator.js';
import { giveOrder } from './load-process.js';

const FILE = fileURLToPath(new URL('./autocannon-process.js', import.meta.url));

/** Order to the load process. */
export type AutocannonOrder = Pick<LoadOptions, 'port' | 'requests' | 'connections' | 'seconds'>;

/**
 * autocannon, in a separate process. It comes with npm and so runs everywhere, but uses several times the CPU time of
 * the servers. The servers are therefore not saturated, and handle fewer requests per wake-up.
 */
export const autocannonLoad: LoadGenerator = {
  name: 'autocannon',
  run(processes: ChildProcesses, options: LoadOptions): Promise<LoadResult> {
    const { port, requests, connections, seconds, cores } = options;
    const order: AutocannonOrder = { port, requests, connections, seconds };
    return giveOrder(processes, { name: 'autocannon', file: FILE, cores, order, seconds });
  },
};
