import type { AnalyticsStore } from './analytics-store.js';
import { AnalyticsStoreError } from './store-error.js';

/** Returns a store that refuses everything as `unavailable`, in place of one that cannot be opened. */
export function createRefusingStore(reason: string): AnalyticsStore {
  const refuse = async () => {
    throw new AnalyticsStoreError('unavailable', new Error(reason));
  };
  return {
    kind: 'embedded',
    query: refuse,
    queryLines: refuse,
    queryBlocks: refuse,
    insertRows: refuse,
    command: refuse,
    ping: refuse,
    close: async () => {},
  };
}
