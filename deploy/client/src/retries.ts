export interface RetryOptions {
  /** Maximum repetitions of a request. Default: 3. */
  readonly retries?: number | undefined;
  /** Maximum wait before a repetition. A server that asks for more gets none, and the error is thrown. Default: 60 s. */
  readonly maxRetryDelayMs?: number | undefined;
}

const FIRST_DELAY_MS = 200;
/** Answers after which the same request may succeed. */
const PASSING = [429, 502, 503, 504];
/** Answers that say that nothing was done. */
const REFUSALS = [429, 503];

/**
 * Returns whether a request may be sent again after an answer, or after none (status 0). A request that may have been
 * carried out is sent again only if a second time has no further effect.
 */
export function mayRepeat(method: string, path: string, status: number, hasKey: boolean): boolean {
  if (status !== 0 && !PASSING.includes(status)) return false;
  if (REFUSALS.includes(status)) return true;
  if (method === 'POST') return hasKey && !path.startsWith('/auth/');
  return method === 'GET' || method === 'PUT';
}

/** Returns the wait that `Retry-After` asks for: seconds or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Returns a wait that doubles with each attempt, at random between half and all of it, so that clients spread. */
export function backOffMs(attempt: number): number {
  return FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random() / 2);
}

/** Waits, or throws the reason of `signal` once it is aborted. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
