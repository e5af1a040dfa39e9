import { createWindowCounter, type RequestWindow } from './window-counter.js';

/** Length of a window, which begins with the first request of a caller. */
export const WINDOW_SECONDS = 60;
/** Callers that a store counts for its process alone, at a time: some 20 MB. */
const MAX_LOCAL_WINDOWS = 100_000;
/** Counts by key, each key in windows of its own. */
export interface RateLimitStore {
  /** Counts one more. Resolves to the window with it. */
  consume(key: string): Promise<RequestWindow>;
  /** Resolves to the window as it is; `null` while there is none. */
  get(key: string): Promise<RequestWindow | null>;
  /** Ends the window, as if nothing had been counted. */
  forget(key: string): Promise<void>;
}

/** Source of stores, one for each counted thing. */
export interface RateLimitStores {
  /** @param name tells the keys of one store from those of others */
  open(name: string, windowSeconds: number): RateLimitStore;
  close(): void;
}

/** Counts for this process alone. */
export function createLocalRateLimitStores(): RateLimitStores {
  return { open: (_name, windowSeconds) => createLocalRateLimitStore(windowSeconds), close: () => undefined };
}

/** Counts for this process alone. */
export function createLocalRateLimitStore(windowSeconds: number): RateLimitStore {
  const counter = createWindowCounter({ windowMs: windowSeconds * 1000, maxWindows: MAX_LOCAL_WINDOWS });
  return {
    consume: async (key) => counter.consume(key),
    get: async (key) => counter.get(key),
    forget: async (key) => counter.forget(key),
  };
}
