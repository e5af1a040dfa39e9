import { setTimeout as delay } from 'node:timers/promises';
import { orAborted } from '../../shared/async/unless-aborted.js';

export interface BackOffOptions {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  onError(error: unknown): void;
}

/**
 * Repeats `attempt` until it succeeds. The pause doubles after each failure up to a limit. Half of it is random, so
 * that many processes do not return at the same moment.
 *
 * @returns the result of the attempt; undefined when `signal` was aborted first, even during an attempt
 */
export async function untilDone<T extends object>(
  attempt: () => Promise<T>,
  { firstDelayMs, longestDelayMs, signal, random, onError }: BackOffOptions,
): Promise<T | undefined> {
  for (let pauseMs = firstDelayMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestDelayMs)) {
    try {
      return await orAborted(signal, attempt());
    } catch (error) {
      if (signal.aborted) return undefined;
      onError(error);
    }
    await delay(pauseMs * (0.5 + random() / 2), undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
