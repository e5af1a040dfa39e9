/** Admits one caller at a time per key. The others wait in order. */
export interface Turns {
  /**
   * Resolves when it is the caller's turn, to the function that ends the turn; `undefined` when too many wait already.
   *
   * @param signal leaves the queue; the promise rejects with its reason
   */
  take(key: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** @param maxWaiting maximum callers that wait under one key */
export function createTurns(maxWaiting: number): Turns {
  /** Callers that wait, by key. A key is present while somebody has its turn. */
  const queues = new Map<string, Set<() => void>>();

  function endOf(key: string): () => void {
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const queue = queues.get(key);
      const [next] = queue ?? [];
      if (queue === undefined || next === undefined) {
        queues.delete(key);
        return;
      }
      queue.delete(next);
      next();
    };
  }

  return {
    async take(key, signal) {
      signal.throwIfAborted();
      const queue = queues.get(key);
      if (queue === undefined) {
        queues.set(key, new Set());
        return endOf(key);
      }
      if (queue.size >= maxWaiting) return undefined;
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          queue.delete(begin);
          reject(signal.reason);
        };
        const begin = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        queue.add(begin);
        signal.addEventListener('abort', leave, { once: true });
      });
      return endOf(key);
    },
  };
}
