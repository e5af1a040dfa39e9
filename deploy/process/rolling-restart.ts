import type { WorkerPool } from '../workers/worker-pool.js';

/**
 * SIGUSR2 replaces the data-plane processes without a gap, after new code or a new GEOIP_DB has been put in
 * place. Not SIGHUP: terminals send that one to what runs in them when they close.
 */
export function rollOnSignal(pool: WorkerPool): void {
  process.on('SIGUSR2', () => void pool.roll());
}
