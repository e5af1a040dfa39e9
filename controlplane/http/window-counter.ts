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

/** Counts in this process, each key in fixed windows of its own, in bounded memory. */
export interface WindowCounter {
  /** Counts one more. */
  consume(key: string): RequestWindow;
  /** The window as it is; `null` while there is none. */
  get(key: string): RequestWindow | null;
  /** Ends the window, as if nothing had been counted. */
  forget(key: string): void;
}

export function createWindowCounter({ windowMs, maxWindows }: WindowCounterOptions): WindowCounter {
  // All windows are equally long and a new one goes to the end, so that they stand in the order in which they end. That
  // holds by a clock that nobody sets back.
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
