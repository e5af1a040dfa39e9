/** Requests of one key since its window began. */
export interface RequestWindow {
  readonly count: number;
  readonly msBeforeNext: number;
}

export interface WindowCounterOptions {
  readonly windowMs: number;
  /** Maximum number of windows. Above it, the window that ends first is dropped. */
  readonly maxWindows: number;
}

/** Counts in this process, each key in its own fixed windows, in bounded memory. */
export interface WindowCounter {
  /** Counts a request. */
  consume(key: string): RequestWindow;
  /** Returns the current window; `null` if there is none. */
  get(key: string): RequestWindow | null;
  /** Ends the window as if nothing had been counted. */
  forget(key: string): void;
}

export function createWindowCounter({ windowMs, maxWindows }: WindowCounterOptions): WindowCounter {
  // All windows have the same length, and a new one goes to the end. They are therefore in the order of their ends,
  // by a monotonic clock.
  const windows = new Map<string, { count: number; readonly endsAtMs: number }>();

  function running(key: string, nowMs: number) {
    const window = windows.get(key);
    return window !== undefined && window.endsAtMs > nowMs ? window : undefined;
  }

  function makeRoom(nowMs: number): void {
    for (const [key, { endsAtMs }] of windows) {
      if (endsAtMs > nowMs && windows.size < maxWindows) return;
      windows.delete(key);
    }
  }

  function begin(key: string, nowMs: number) {
    windows.delete(key);
    makeRoom(nowMs);
    const window = { count: 0, endsAtMs: nowMs + windowMs };
    windows.set(key, window);
    return window;
  }

  return {
    consume(key) {
      const nowMs = performance.now();
      const window = running(key, nowMs) ?? begin(key, nowMs);
      window.count += 1;
      return { count: window.count, msBeforeNext: window.endsAtMs - nowMs };
    },
    get(key) {
      const nowMs = performance.now();
      const window = running(key, nowMs);
      return window === undefined ? null : { count: window.count, msBeforeNext: window.endsAtMs - nowMs };
    },
    forget: (key) => void windows.delete(key),
  };
}
