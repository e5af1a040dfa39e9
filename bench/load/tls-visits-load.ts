import { fileURLToPath } from 'node:url';
import type { Bench } from '../scenarios/scenario.js';
import { giveOrder } from './load-process.js';
import type { TlsVisitsOptions, TlsVisitsResult } from './tls-visits.js';

const FILE = fileURLToPath(new URL('./tls-visits-process.js', import.meta.url));

/** Visits a server over TLS from a separate process. */
export function loadOverTls(
  { processes, cores }: Pick<Bench, 'processes' | 'cores'>,
  order: TlsVisitsOptions,
): Promise<TlsVisitsResult> {
  const { seconds } = order;
  return giveOrder(processes, { name: 'the load of TLS', file: FILE, cores: cores.load, order, seconds });
}
