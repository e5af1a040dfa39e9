import type { Period } from '../period.js';
import type { KnownHit } from './random-traffic.fixture.js';

/** What a question is answered from, found by looking at each hit that was ever recorded. */
export interface Asked {
  readonly period: Period;
  readonly periodBefore: Period;
  readonly includeBots: boolean;
  /** All hits of the period, bots' too. */
  readonly hits: readonly KnownHit[];
  /** Hits that lists and uniques are made of. */
  readonly audience: readonly KnownHit[];
  readonly hitsBefore: readonly KnownHit[];
  readonly audienceBefore: readonly KnownHit[];
  /** Parameters beside those of every question. */
  readonly query: Readonly<Record<string, string | number | boolean>>;
}

/** What has to be answered; `meta` beside what is in every answer. */
export interface Expected {
  readonly data: unknown;
  readonly meta: object;
}

export function asked(
  recorded: readonly KnownHit[],
  { period, includeBots, query }: Pick<Asked, 'period' | 'includeBots' | 'query'>,
): Asked {
  const lengthMs = period.endMs - period.startMs + 1;
  const periodBefore = { startMs: period.startMs - lengthMs, endMs: period.startMs - 1 };
  const hits = hitsOf(recorded, period);
  const hitsBefore = hitsOf(recorded, periodBefore);
  const audienceOf = (all: readonly KnownHit[]) =>
    includeBots ? all : all.filter(({ is_bot }) => is_bot === 0);
  return {
    ...{ period, periodBefore, includeBots, query, hits, hitsBefore },
    audience: audienceOf(hits),
    audienceBefore: audienceOf(hitsBefore),
  };
}

function hitsOf(recorded: readonly KnownHit[], { startMs, endMs }: Period): KnownHit[] {
  return recorded.filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
}
