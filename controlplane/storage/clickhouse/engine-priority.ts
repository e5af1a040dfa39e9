import { readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { ignoring } from '../../../shared/process/error-facts.js';

/** Nice value of the engine's threads. The kernel gives them a third of the weight of processes that serve visitors. */
export const ENGINE_NICENESS = 5;

const TASKS = '/proc/self/task';

/**
 * Lowers the priority of all threads of this process but the main one, so that statements and merges of the embedded
 * engine yield to visitors. Threads inherit it from the thread that starts them: later ones of the engine have it, child
 * processes and worker threads do not. Threads that already have a lower priority keep it. Does nothing where there is no
 * `/proc`. See controlplane/decisions/0048-priority-of-the-embedded-engine.md.
 */
export async function lowerEnginePriority(): Promise<void> {
  const threads = (await readdir(TASKS).catch(ignoring('ENOENT'))) ?? [];
  for (const thread of threads.map(Number)) {
    if (thread !== process.pid) lower(thread);
  }
}

function lower(thread: number): void {
  try {
    // Root could also raise the priority of a thread.
    if (getPriority(thread) < ENGINE_NICENESS) setPriority(thread, ENGINE_NICENESS);
  } catch {
    // The thread has ended.
  }
}
