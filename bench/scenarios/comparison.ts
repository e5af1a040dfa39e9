import type { RedirectPlan, ServerKind } from '../servers/server-kind.js';
import type { ServerResult } from './results.js';

/** One server of a comparison, with its redirects. */
export interface Entrant {
  /** Name, unique in the comparison. */
  readonly name: string;
  readonly kind: ServerKind;
  readonly redirects: RedirectPlan;
  /** Whether it starts from the files that an earlier run of it has saved. */
  readonly startsFromDisk?: boolean;
}

/** A comparison of servers under the same load. */
export interface Comparison {
  readonly name: string;
  readonly summary: string;
  /** Whether hits go to Kafka where the environment names one. */
  readonly producesHits?: boolean;
  readonly runs?: 'full';
  /** The first one is ours. */
  entrants(isQuick: boolean): readonly Entrant[];
  /** Computes results that need all rows together. */
  conclude?(rows: readonly ServerResult[]): readonly ServerResult[];
}

/** Entrants with the same redirects, under the names of their kinds. */
export function withRedirects(redirects: RedirectPlan, kinds: readonly ServerKind[]): readonly Entrant[] {
  return kinds.map((kind) => ({ name: kind.name, kind, redirects }));
}
