import type { WorkerPool } from '../workers/worker-pool.js';

/**
 * SIGUSR2: replace the data-plane processes without a gap, after new code or a new GEOIP_DB has been put in place. Not
 * SIGHUP, which terminals send to the processes in them when they close.
 */
export interface RollRequests {
  /** Carries out requests from now on, and one that came before. */
  serveWith(pool: Pick<WorkerPool, 'roll'>): void;
}

/**
 * Begins to listen for the signal, which would end the process otherwise. Called before anything else is loaded: a request
 * during the start is remembered until `serveWith`.
 */
export function hearRollRequests(): RollRequests {
  let pool: Pick<WorkerPool, 'roll'> | undefined;
  let isRequested = false;
  process.on('SIGUSR2', () => {
    if (pool === undefined) isRequested = true;
    else void pool.roll();
  });
  return {
    serveWith(servingPool) {
      pool = servingPool;
      if (isRequested) void pool.roll();
    },
  };
}
