import { QueryClient } from '@tanstack/preact-query';
import { WaymarkError } from '@waymark/client';

const RETRIES = 2;
const FRESH_MS = 10_000;

/** Returns whether the same request can succeed a moment later. */
function isPassing(error: unknown): boolean {
  return error instanceof WaymarkError && (error.status === 0 || error.status >= 500);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
        // Without a network the API on the same machine still answers.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
