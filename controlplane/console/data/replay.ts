import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { pagesOf } from './pages';
import type { CursorPage } from './records';
import { request } from './request';

export interface ReplayedAnswer {
  readonly ruleId: number | null;
  readonly variant: string | null;
  readonly destination: string | null;
  readonly statusCode: number;
}

export interface ReplayChange {
  readonly from: ReplayedAnswer;
  readonly to: ReplayedAnswer;
  readonly visits: number;
  readonly share: number;
  /** 95 % interval of the share. A sample has one. */
  readonly interval?: readonly [number, number];
  /** Whether this is all that the table has no room for. */
  readonly isRest: boolean;
  readonly examples: readonly {
    readonly path: string;
    readonly timestamp: string;
    readonly country: string | null;
    readonly deviceType: string | null;
  }[];
}

export type RuleState = 'decides' | 'shadowed' | 'matches_nothing' | 'unknown' | 'removed';
export type GapReason = 'not_recorded' | 'shortened' | 'masked' | 'not_drawn' | 'refused';

export interface Replay {
  readonly id: string;
  readonly redirectId: string;
  readonly state: 'queued' | 'running' | 'finished' | 'failed' | 'canceled';
  /** 0 to 1. */
  readonly progress: number;
  readonly start: string;
  readonly end: string;
  readonly visits: {
    readonly total: number;
    readonly estimatedTotal: number;
    readonly replayed: number;
    readonly unchanged: number;
    readonly changed: number;
    readonly unjudged: number;
    readonly otherDestination: number;
    readonly otherRule: number;
    readonly otherVariant: number;
    readonly newLoops: number;
  };
  readonly changes: readonly ReplayChange[];
  readonly unjudged: readonly {
    readonly attribute: string;
    readonly reason: GapReason;
    readonly visits: number;
    readonly share: number;
  }[];
  readonly rules: readonly {
    readonly ruleId: number;
    readonly name: string;
    readonly before: number;
    readonly after: number;
    readonly state: RuleState;
  }[];
  readonly versions: readonly { readonly version: number | null; readonly visits: number }[];
  /** Version that was made within a minute of the start. */
  readonly startsAtVersion: number | null;
  readonly loop: readonly string[];
  readonly error: { readonly message: string } | null;
}

/** A replay in a list. */
export interface ListedReplay
  extends Pick<Replay, 'id' | 'redirectId' | 'state' | 'progress' | 'start' | 'end' | 'visits'> {
  readonly draft: 'stored' | 'given' | null;
  readonly version: number | null;
  readonly createdAt: string;
}

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

export const isReplaying = ({ state }: Pick<Replay, 'state'>) => state === 'queued' || state === 'running';

export function useStartReplay(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewReplay) =>
      request<Replay>('POST', '/redirects/{id}/replay', { params: { id }, body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['replays', id] }),
  });
}

/** Replays of a redirect, newest first. Read again while one of them runs. */
export function useReplays(id: string) {
  return useInfiniteQuery({
    ...pagesOf<CursorPage<ListedReplay>>(['replays', id], '/redirects/{id}/replays', { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isReplaying)) ? LIST_MS : false,
  });
}

/** A replay, with its progress while it runs. */
export function useReplay(id: string) {
  return useQuery({
    queryKey: ['replay', id],
    queryFn: ({ signal }) => request<Replay>('GET', '/replays/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data && !isReplaying(state.data) ? false : RUNNING_MS),
  });
}

export function useCancelReplay(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<Replay>('POST', '/replays/{id}/cancel', { params: { id } }),
    onSuccess: (replay) => client.setQueryData(['replay', id], replay),
  });
}
