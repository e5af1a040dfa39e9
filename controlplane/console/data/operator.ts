import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { DataplaneOverview, Takedown, TakedownPage, UserPage } from './account-records';
import { request } from './request';

const OVERVIEW_MS = 5_000;
const PAGE_SIZE = 50;

export function useDataplanes() {
  return useQuery({
    queryKey: ['operator', 'dataplanes'],
    queryFn: ({ signal }) => request<DataplaneOverview>('GET', '/admin/dataplanes', { signal }),
    refetchInterval: OVERVIEW_MS,
  });
}

export function useUsers(search: string) {
  return useInfiniteQuery({
    queryKey: ['operator', 'users', search],
    queryFn: ({ pageParam, signal }) =>
      request<UserPage>('GET', '/admin/users', {
        query: { search, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.nextCursor ?? undefined,
    placeholderData: (previous) => previous,
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
  return useInfiniteQuery({
    queryKey: ['operator', 'takedowns'],
    queryFn: ({ pageParam, signal }) =>
      request<TakedownPage>('GET', '/admin/takedowns', {
        query: { limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.nextCursor ?? undefined,
  });
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
      mutationFn: (body: NewTakedown) =>
        request<Takedown & { readonly redirects: number }>('POST', '/admin/takedowns', { body }),
      onSuccess,
    }),
    lift: useMutation({
      mutationFn: (id: string) => request('DELETE', '/admin/takedowns/{id}', { params: { id } }),
      onSuccess,
    }),
  };
}
