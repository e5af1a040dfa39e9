import { fileURLToPath } from 'node:url';
import type { Bench } from '../scenarios/scenario.js';
import type { FixedRateOptions, FixedRateResult } from './fixed-rate.js';
import { giveOrder } from './load-process.js';

const FILE = fileURLToPath(new URL('./fixed-rate-process.js', import.meta.url));

/** Runs a load at a fixed rate in a process of its own, so that nothing the benchmark does delays it. */
export function loadAtFixedRate(
  { processes, cores }: Pick<Bench, 'processes' | 'cores'>,
  order: FixedRateOptions,
): Promise<FixedRateResult> {
  const { seconds } = order;
  return giveOrder(processes, { name: 'the fixed-rate load', file: FILE, cores: cores.load, order, seconds });
}
