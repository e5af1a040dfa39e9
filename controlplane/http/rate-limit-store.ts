/** Requests of one key since its window began. */
export interface RequestWindow {
  readonly count: number;
  readonly msBeforeNext: number;
}

/**
 * Counts in this process, each key in its own fixed windows, in bounded memory.
 *
 * @param maxWindows above it, the window that ends first is dropped
 */
export function createWindowCounter({ windowMs, maxWindows }: { windowMs: number; maxWindows: number }) {
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
    /** Counts a request. */
    consume(key: string): RequestWindow {
      const nowMs = performance.now();
      const window = running(key, nowMs) ?? begin(key, nowMs);
      window.count += 1;
      return { count: window.count, msBeforeNext: window.endsAtMs - nowMs };
    },
    /** Returns the current window, or `null` if no window is open. */
    get(key: string): RequestWindow | null {
      const nowMs = performance.now();
      const window = running(key, nowMs);
      return window === undefined ? null : { count: window.count, msBeforeNext: window.endsAtMs - nowMs };
    },
    /** Ends the window as if nothing had been counted. */
    forget: (key: string) => void windows.delete(key),
  };
}

/** Length of a window, which begins with the first request of a caller. */
export const WINDOW_SECONDS = 60;
/** Maximum number of callers that a store counts in its process: about 20 MB. */
const MAX_LOCAL_WINDOWS = 100_000;
/** Counts by key, each key in its own windows. */
export interface RateLimitStore {
  /** Counts a request. Resolves to its window. */
  consume(key: string): Promise<RequestWindow>;
  /** Resolves to the current window, or to `null` if no window is open. */
  get(key: string): Promise<RequestWindow | null>;
  /** Ends the window as if nothing had been counted. */
  forget(key: string): Promise<void>;
}

/** Creates stores, one for each kind of counted event. */
export interface RateLimitStores {
  /** @param name separates the keys of this store from those of others */
  open(name: string, windowSeconds: number): RateLimitStore;
  close(): void;
}

/** Counts in this process only. */
export function createLocalRateLimitStores(): RateLimitStores {
  return { open: (_name, windowSeconds) => createLocalRateLimitStore(windowSeconds), close: () => undefined };
}

/** Counts in this process only. */
export function createLocalRateLimitStore(windowSeconds: number): RateLimitStore {
  const counter = createWindowCounter({ windowMs: windowSeconds * 1000, maxWindows: MAX_LOCAL_WINDOWS });
  return {
    consume: async (key) => counter.consume(key),
    get: async (key) => counter.get(key),
    forget: async (key) => counter.forget(key),
  };
}
