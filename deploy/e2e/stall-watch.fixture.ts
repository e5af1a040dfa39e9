import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long this machine lets processes wait for a timer and for a small write to disk. */
export interface StallWatch {
  /** Ends the watch. Resolves to the longest wait. */
  stop(): Promise<number>;
}

const INTERVAL_MS = 5;

/** @param directory on the disk in question; gets a file */
export function watchStalls(directory: string): StallWatch {
  const filePath = path.join(directory, 'stalls');
  let isStopped = false;

  async function longestMs(): Promise<number> {
    let longest = 0;
    while (!isStopped) {
      const startedAtMs = performance.now();
      await pause(INTERVAL_MS);
      await appendFile(filePath, '.');
      longest = Math.max(longest, performance.now() - startedAtMs);
    }
    return longest;
  }

  const watching = longestMs();
  return {
    stop() {
      isStopped = true;
      return watching;
    },
  };
}
