import type { PoolEnd } from '../workers/worker-pool.js';
import type { StopCause } from './shutdown.js';

/**
 * What becomes of the workers when their supervisor stops.
 *
 * @param isWhole whether the start had succeeded
 * @param handoverMs 0 where workers do not outlive an orderly stop
 */
export function poolEndAfter(
  cause: StopCause | undefined,
  isWhole: boolean,
  handoverMs: number,
  pid = process.pid,
): PoolEnd {
  if (cause === 'failed-start') return 'give-up';
  // The kernel kills all processes of a container when its first one ends.
  const cannotOutlive = pid === 1;
  if (cause === 'SIGINT' || handoverMs === 0 || cannotOutlive) return 'drain';
  return isWhole ? 'hand-over' : 'give-up';
}
