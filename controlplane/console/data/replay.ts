import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { pagesOf } from './pages';
import { request } from './request';

export interface NewReplay {
  /** true: the stored draft. Without draft and version: the definition in force. */
  readonly draft?: true;
  readonly version?: number;
  readonly start: string;
  readonly end: string;
  readonly sample?: number;
}

const RUNNING_MS = 500;
const LIST_MS = 2_000;

export const isReplaying = ({ state }: Pick<Schemas.Replay, 'state'>) =>
  state === 'queued' || state === 'running';

export function useStartReplay(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewReplay) => request('POST', '/redirects/{id}/replay', { params: { id }, body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['replays', id] }),
  });
}

/** Replays of a redirect, newest first. Read again while one of them runs. */
export function useReplays(id: string) {
  return useInfiniteQuery({
    ...pagesOf(['replays', id], '/redirects/{id}/replays', { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isReplaying)) ? LIST_MS : false,
  });
}

/** A replay, with its progress while it runs. */
export function useReplay(id: string) {
  return useQuery({
    queryKey: ['replay', id],
    queryFn: ({ signal }) => request('GET', '/replays/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data && !isReplaying(state.data) ? false : RUNNING_MS),
  });
}

export function useCancelReplay(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST', '/replays/{id}/cancel', { params: { id } }),
    onSuccess: (replay) => client.setQueryData(['replay', id], replay),
  });
}
