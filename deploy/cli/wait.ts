import { setTimeout as sleep } from 'node:timers/promises';

/** Waits. An aborted signal rejects. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
