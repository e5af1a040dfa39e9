import type { PoolEnd } from '../workers/worker-pool.js';
import type { StopCause } from './shutdown.js';

/**
 * Returns the fate of the workers when their supervisor stops. After an uncaught error, healthy workers continue to
 * serve, as after a kill, because visitors do not need the failed part.
 *
 * @param isWhole whether the start had succeeded
 * @param handoverMs 0 if workers do not outlive SIGTERM
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
  const isHandedOver = handoverMs > 0 || cause === 'error';
  if (cause === 'SIGINT' || !isHandedOver || cannotOutlive) return 'drain';
  return isWhole ? 'hand-over' : 'give-up';
}
