import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
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
  readonly loop: readonly string[];
  readonly error: { readonly message: string } | null;
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

export const isReplaying = ({ state }: Replay) => state === 'queued' || state === 'running';

export function useStartReplay(id: string) {
  return useMutation({
    mutationFn: (body: NewReplay) =>
      request<Replay>('POST', '/redirects/{id}/replay', { params: { id }, body }),
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
