import { Worker } from 'node:worker_threads';

/** CommonJS, since it is given as text: a file of its own would have to be compiled before tests could start it. */
const KILL_LATER = `
  const { workerData: { killAtMs } } = require('node:worker_threads');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAtMs - Date.now());
`;

/**
 * Ends this process by SIGKILL in `limitMs` milliseconds, should it still be there. A thread of its own counts: the
 * embedded databases can hold up the main one, timers and all, for many seconds.
 *
 * @param onFailure is told why there is no such thread
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
    // Where the system has no thread left to give.
    onFailure(error);
  }
}
