import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { request } from './request';

/** Numbers of a period in which the experiment did not change. */
export type ExperimentNumbers = Omit<Schemas.ExperimentSegment, 'start' | 'end'>;

/** '' leaves the choice to the API. */
export interface ExperimentQuestion {
  readonly goal: string;
  readonly start: string;
  readonly end: string;
  readonly effectPercent: string;
  readonly includeBots: string;
}

const REFRESH_MS = 15_000;

/** Results of an experiment, read again while they are shown. */
export function useExperiment(ruleId: string, question: ExperimentQuestion) {
  return useQuery({
    queryKey: ['experiment', ruleId, question],
    queryFn: ({ signal }) =>
      request('GET', '/experiments/{ruleId}/results', {
        params: { ruleId },
        query: { ...question },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: (previous) => previous,
  });
}
