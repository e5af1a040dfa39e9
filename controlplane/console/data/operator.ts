import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { pagesOf } from './pages';
import { keepFormer, queryOf, useChange } from './queries';
import { request } from './request';

const OVERVIEW_MS = 5_000;
const usersKey = ['operator', 'users'];
const takedownsKey = ['operator', 'takedowns'];

export function useDataplanes() {
  return useQuery({
    ...queryOf(['operator', 'dataplanes'], '/admin/dataplanes'),
    refetchInterval: OVERVIEW_MS,
  });
}

/** Reads the certificates of all users that expire soon, fail or are missing, sorted by expiry. */
export function useCertificatesToCheck(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'certificates', search], '/admin/certificates', { query: { search } }),
    placeholderData: keepFormer,
  });
}

export function useUsers(search: string) {
  return useInfiniteQuery({
    ...pagesOf([...usersKey, search], '/admin/users', { query: { search } }),
    placeholderData: keepFormer,
  });
}

export const useUserChanges = () => ({
  suspend: useChange(
    ({ id, reason }: { readonly id: string; readonly reason: string }) =>
      request('POST', '/admin/users/{id}/suspend', { params: { id }, body: { reason } }),
    usersKey,
  ),
  resume: useChange(
    (id: string) => request('POST', '/admin/users/{id}/resume', { params: { id } }),
    usersKey,
  ),
});

export const useTakedowns = () => useInfiniteQuery(pagesOf(takedownsKey, '/admin/takedowns'));

export interface NewTakedown {
  readonly host?: string;
  readonly destinationHost?: string;
  readonly reason: string;
}

export const useTakedownChanges = () => ({
  create: useChange((body: NewTakedown) => request('POST', '/admin/takedowns', { body }), takedownsKey),
  lift: useChange(
    (id: string) => request('DELETE', '/admin/takedowns/{id}', { params: { id } }),
    takedownsKey,
  ),
});

/** '' does not filter. */
export type LogFilter = Readonly<Record<'action' | 'search' | 'since' | 'until', string>>;

/** Reads the actions of operators, newest first. */
export function useOperatorLog(filter: LogFilter) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'log', filter], '/admin/log', { query: filter }),
    placeholderData: keepFormer,
    staleTime: 0,
  });
}

/** Reads the broken destinations of all users, the most recent first. */
export function useBrokenDestinations(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'destinations', search], '/admin/destinations', { query: { search } }),
    placeholderData: keepFormer,
  });
}

/** Releases a domain from its owner. */
export function useDomainRelease() {
  return useChange((domain: string) =>
    request('POST', '/admin/domains/{domain}/release', { params: { domain } }),
  );
}
