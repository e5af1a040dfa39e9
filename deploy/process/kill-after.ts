import { Worker } from 'node:worker_threads';

/** CommonJS as text, because a file would have to be compiled before tests. */
const KILL_LATER = `
  const { workerData: { killAtMs } } = require('node:worker_threads');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAtMs - Date.now());
`;

/**
 * Ends this process by SIGKILL after `limitMs` milliseconds. The timer runs in a separate thread, because the embedded
 * databases can block the main thread for many seconds.
 *
 * @param onFailure called with the reason when the thread cannot start or fails
 * @param Thread Default: a worker thread of Node
 */
export function killAfter(
  limitMs: number,
  onFailure: (error: unknown) => void,
  Thread: typeof Worker = Worker,
): void {
  try {
    new Thread(KILL_LATER, { eval: true, workerData: { killAtMs: Date.now() + limitMs } })
      .on('error', onFailure)
      .unref();
  } catch (error) {
    // The system may have no thread left.
    onFailure(error);
  }
}
