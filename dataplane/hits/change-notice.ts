/** Wakes loops when something changes that they depend on. */
export interface ChangeNotice {
  /** Wakes all waiting callers. */
  announce(): void;
  /**
   * Resolves at the next `announce`, or when `signal` is aborted. A caller that checks its condition and then waits in
   * the same turn misses no change.
   */
  next(signal: AbortSignal): Promise<void>;
}

export function createChangeNotice(): ChangeNotice {
  let waiting = new Set<() => void>();
  return {
    announce() {
      const awoken = waiting;
      waiting = new Set();
      for (const wake of awoken) wake();
    },
    next: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      }),
  };
}
