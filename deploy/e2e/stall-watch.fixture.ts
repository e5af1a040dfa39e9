import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Measures how long this machine delays a timer and a small write to disk. */
export interface StallWatch {
  /** The longest delay so far. */
  readonly longestMs: number;
  stop(): Promise<void>;
}

const INTERVAL_MS = 5;

/** @param directory a folder on the measured disk; a file is written to it */
export function watchStalls(directory: string): StallWatch {
  const filePath = path.join(directory, 'stalls');
  let longestMs = 0;
  let isStopped = false;

  async function watch(): Promise<void> {
    while (!isStopped) {
      const startedAtMs = performance.now();
      await pause(INTERVAL_MS);
      await appendFile(filePath, '.');
      longestMs = Math.max(longestMs, performance.now() - startedAtMs);
    }
  }

  // A failed test may remove the directory at this time.
  const watching = watch().catch(() => undefined);
  return {
    get longestMs() {
      return longestMs;
    },
    async stop() {
      isStopped = true;
      await watching;
    },
  };
}
