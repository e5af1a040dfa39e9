import { useQuery } from '@tanstack/preact-query';
import { request } from './request';

type Interval = readonly [number, number];

export interface ExperimentVariant {
  readonly name: string;
  readonly weight: number;
  readonly visitors: number;
  readonly mixed: number;
  readonly conversions: number;
  readonly rate: number;
  readonly interval: Interval;
  /** null for the baseline. */
  readonly lift: number | null;
  readonly liftInterval: Interval | null;
  /** Absolute, in shares. Its interval agrees with the p-value; that of `lift` is wider. */
  readonly difference: number | null;
  readonly differenceInterval: Interval | null;
  readonly pValue: number | null;
  readonly probabilityBest: number;
  readonly revenue: {
    readonly total: number;
    readonly perVisitor: number;
    readonly interval: Interval | null;
  } | null;
}

/** Numbers of a period in which the experiment did not change. */
export interface ExperimentNumbers {
  readonly variants: readonly ExperimentVariant[];
  readonly baseline: string;
  readonly visitors: number;
  readonly mixed: number;
  readonly pValue: number;
  readonly sampleRatio: { readonly ok: boolean; readonly pValue: number };
  readonly neededVisitors: number | null;
  readonly verdict: string;
  readonly explanation: string;
}

export interface ExperimentResults extends ExperimentNumbers {
  readonly goal: string | null;
  readonly goals: readonly { readonly goal: string; readonly conversions: number }[];
  readonly segments: readonly (ExperimentNumbers & { readonly start: string; readonly end: string })[];
  readonly bots: readonly { readonly variant: string; readonly hits: number; readonly visitors: number }[];
  readonly meta: {
    readonly period: { readonly start: string; readonly end: string };
    readonly bots: 'included' | 'excluded';
    readonly effectPercent: number;
    readonly unassigned: number;
    readonly sampling: { readonly note: string | null };
  };
}

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
      request<ExperimentResults>('GET', '/experiments/{ruleId}/results', {
        params: { ruleId },
        query: { ...question },
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: (previous) => previous,
  });
}
