import { QueryClient } from '@tanstack/preact-query';
import { WaymarkError } from '@waymark/client';

const RETRIES = 2;
const FRESH_MS = 10_000;

/** Returns whether a retry of the request can succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof WaymarkError && (error.status === 0 || error.status >= 500);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
        // Send requests without a network too: the API can run on the same machine.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
