import { createWindowCounter, type RequestWindow } from './window-counter.js';

/** Length of a window, which begins with the first request of a caller. */
export const WINDOW_SECONDS = 60;
/** Maximum number of callers that a store counts in its process: about 20 MB. */
const MAX_LOCAL_WINDOWS = 100_000;
/** Counts by key, each key in its own windows. */
export interface RateLimitStore {
  /** Counts a request. Resolves to its window. */
  consume(key: string): Promise<RequestWindow>;
  /** Resolves to the current window; `null` if there is none. */
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
