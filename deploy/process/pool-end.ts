import type { PoolEnd } from '../workers/worker-pool.js';
import type { StopCause } from './shutdown.js';

/**
 * What becomes of the workers when their supervisor stops.
 *
 * @param isWhole whether the start had succeeded
 * @param handoverMs 0 where workers do not outlive an orderly stop
 */
export function poolEndAfter(cause: StopCause | undefined, isWhole: boolean, handoverMs: number): PoolEnd {
  if (cause === 'failed-start') return 'give-up';
  if (cause === 'SIGINT' || handoverMs === 0) return 'drain';
  return isWhole ? 'hand-over' : 'give-up';
}
