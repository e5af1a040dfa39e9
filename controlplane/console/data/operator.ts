import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { keepFormer, pagesOf } from './pages';
import { request } from './request';

const OVERVIEW_MS = 5_000;

export function useDataplanes() {
  return useQuery({
    queryKey: ['operator', 'dataplanes'],
    queryFn: ({ signal }) => request('GET', '/admin/dataplanes', { signal }),
    refetchInterval: OVERVIEW_MS,
  });
}

/** Reads the certificates of all users that end soon, fail or are missing, the first end first. */
export function useCertificatesToCheck(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'certificates', search], '/admin/certificates', {
      query: { search },
    }),
    placeholderData: keepFormer,
  });
}

export function useUsers(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'users', search], '/admin/users', { query: { search } }),
    placeholderData: keepFormer,
  });
}

export function useUserChanges() {
  const client = useQueryClient();
  const onSuccess = () => void client.invalidateQueries({ queryKey: ['operator', 'users'] });
  return {
    suspend: useMutation({
      mutationFn: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
        request('POST', '/admin/users/{id}/suspend', { params: { id }, body: { reason } }),
      onSuccess,
    }),
    resume: useMutation({
      mutationFn: (id: string) => request('POST', '/admin/users/{id}/resume', { params: { id } }),
      onSuccess,
    }),
  };
}

export function useTakedowns() {
  return useInfiniteQuery(pagesOf(['operator', 'takedowns'], '/admin/takedowns'));
}

export interface NewTakedown {
  readonly host?: string;
  readonly destinationHost?: string;
  readonly reason: string;
}

export function useTakedownChanges() {
  const client = useQueryClient();
  const onSuccess = () => void client.invalidateQueries({ queryKey: ['operator', 'takedowns'] });
  return {
    create: useMutation({
      mutationFn: (body: NewTakedown) => request('POST', '/admin/takedowns', { body }),
      onSuccess,
    }),
    lift: useMutation({
      mutationFn: (id: string) => request('DELETE', '/admin/takedowns/{id}', { params: { id } }),
      onSuccess,
    }),
  };
}

/** '' does not filter. */
export interface LogFilter {
  readonly action: string;
  readonly search: string;
  readonly since: string;
  readonly until: string;
}

/** Reads what operators did, newest first. */
export function useOperatorLog(filter: LogFilter) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'log', filter], '/admin/log', { query: { ...filter } }),
    placeholderData: keepFormer,
    staleTime: 0,
  });
}

/** Reads the broken destinations of all users, the last to break first. */
export function useBrokenDestinations(search: string) {
  return useInfiniteQuery({
    ...pagesOf(['operator', 'destinations', search], '/admin/destinations', {
      query: { search },
    }),
    placeholderData: keepFormer,
  });
}

/** Takes a domain from its owner. */
export function useDomainRelease() {
  return useMutation({
    mutationFn: (domain: string) =>
      request('POST', '/admin/domains/{domain}/release', {
        params: { domain },
      }),
  });
}
