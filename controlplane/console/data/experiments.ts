import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { keepFormer, queryOf } from './queries';

/** Numbers of a period in which the experiment did not change. */
export type ExperimentNumbers = Omit<Schemas.ExperimentSegment, 'start' | 'end'>;

/** Parameters of the results request. The URL of the results page has the same ones. */
export const QUESTION = ['goal', 'start', 'end', 'effectPercent', 'includeBots'] as const;
/** '': the API chooses. */
export type ExperimentQuestion = Readonly<Record<(typeof QUESTION)[number], string>>;

const REFRESH_MS = 15_000;

/** Reads the results of an experiment, and refreshes them while they are shown. */
export function useExperiment(ruleId: string, question: ExperimentQuestion) {
  return useQuery({
    ...queryOf(['experiment', ruleId, question], '/experiments/{ruleId}/results', {
      params: { ruleId },
      query: question,
    }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepFormer,
  });
}
