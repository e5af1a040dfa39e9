import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { pagesOf } from './pages';
import { queryOf, useChange } from './queries';
import { request } from './request';

export interface NewReplay {
  /** true replays the stored draft. Without draft and version, the current definition is replayed. */
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
  return useChange(
    (body: NewReplay) => request('POST', '/redirects/{id}/replay', { params: { id }, body }),
    ['replays', id],
  );
}

/** Reads the replays of a redirect, newest first. Refreshes them while one runs. */
export function useReplays(id: string) {
  return useInfiniteQuery({
    ...pagesOf(['replays', id], '/redirects/{id}/replays', { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isReplaying)) ? LIST_MS : false,
  });
}

const replayOf = (id: string) => queryOf(['replay', id], '/replays/{id}', { params: { id } });

/** Reads a replay, and refreshes its progress while it runs. */
export function useReplay(id: string) {
  return useQuery({
    ...replayOf(id),
    refetchInterval: ({ state }) => (state.data && !isReplaying(state.data) ? false : RUNNING_MS),
  });
}

export function useCancelReplay(id: string) {
  const client = useQueryClient();
  return useChange(async () => {
    const replay = await request('POST', '/replays/{id}/cancel', { params: { id } });
    client.setQueryData(replayOf(id).queryKey, replay);
  });
}
