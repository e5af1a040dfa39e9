import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  /** Name of the awaited condition for the time-out message. */
  readonly what?: string;
}

/**
 * Waits for a condition. An exception counts as not met.
 *
 * @returns the duration in milliseconds
 * @throws when it takes longer than `timeoutMs`
 */
export async function until(
  isMet: () => Promise<boolean> | boolean,
  { timeoutMs, intervalMs = 50, what = 'what was waited for' }: UntilOptions,
): Promise<number> {
  const startedMs = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      if (await isMet()) return performance.now() - startedMs;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - startedMs > timeoutMs) {
      throw new Error(`${what} did not happen within ${timeoutMs} ms`, { cause: failure });
    }
    await delay(intervalMs);
  }
}
