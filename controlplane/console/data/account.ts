import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { request } from './request';

export const accountKey = ['account'] as const;

/** The user of the session, with plan and usage. */
export function useAccount() {
  return useQuery({
    queryKey: accountKey,
    queryFn: ({ signal }) => request('GET', '/auth/user', { signal }),
  });
}

/** Returns what has the account read again, after something has changed its usage. */
export function useAccountRefresh(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: accountKey });
}
