import { fileURLToPath } from 'node:url';
import type { Bench } from '../scenarios/scenario.js';
import type { FixedRateOptions, FixedRateResult } from './fixed-rate.js';
import { giveOrder } from './load-process.js';

const FILE = fileURLToPath(new URL('./fixed-rate-process.js', import.meta.url));
/** Keep-alive connections of a load. */
export const CONNECTIONS = 64;
/** Far below the capacity of every server. A request therefore waits for the server, not for earlier requests. */
export const FIXED_REQUESTS_PER_SECOND = 1_000;
const DEFAULTS = {
  server: 'waymark',
  connections: CONNECTIONS,
  requestsPerSecond: FIXED_REQUESTS_PER_SECOND,
};

/** Runs a load at a fixed rate in a separate process, where the benchmark itself cannot delay it. */
export function loadAtFixedRate(
  { processes, cores }: Pick<Bench, 'processes' | 'cores'>,
  options: Omit<FixedRateOptions, keyof typeof DEFAULTS> & Partial<FixedRateOptions>,
): Promise<FixedRateResult> {
  const order: FixedRateOptions = { ...DEFAULTS, ...options };
  const name = 'the fixed-rate load';
  return giveOrder(processes, { name, file: FILE, cores: cores.load, order, seconds: order.seconds });
}
