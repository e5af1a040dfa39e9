import type { WorkerPool } from '../workers/worker-pool.js';

/**
 * SIGUSR2 replaces the data-plane processes without an interruption, after new code or a new GEOIP_DB was installed.
 * Not SIGHUP, which a terminal sends to its processes when it closes.
 */
export interface RollRequests {
  /** Carries out requests from now on, and one that arrived before. */
  serveWith(pool: Pick<WorkerPool, 'roll'>): void;
}

/**
 * Listens for the signal, which would otherwise end the process. Called before anything else is loaded: a request
 * during the start is kept until `serveWith`.
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
