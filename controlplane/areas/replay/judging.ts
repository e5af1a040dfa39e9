import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { createJudge } from './judge.js';
import { type NeededFacts, neededFacts } from './needed-columns.js';
import { readGroups } from './read-groups.js';
import { createTally, type TallyResult } from './tally.js';
import type { Slice } from './visit-reader.js';

/** The groups of a slice, judged. */
export interface JudgedSlice {
  readonly groups: number;
  readonly visits: number;
}

/** Judges recorded visits by one definition, and counts the judgements. */
export interface Judging {
  /** Facts of visits that the definition needs. */
  readonly facts: NeededFacts;
  /** @param blocks groups of visits with these facts, as `VisitReader.groups` returns them */
  judge(blocks: Uint8Array, slice: Slice, facts: NeededFacts): JudgedSlice;
  result(): TallyResult;
}

/** A judging that runs beside this thread. It takes one call at a time. */
export interface RemoteJudging {
  readonly facts: NeededFacts;
  /** Transfers the memory of `blocks`. The caller cannot read them afterwards. */
  judge(blocks: Uint8Array, slice: Slice, facts: NeededFacts): Promise<JudgedSlice>;
  result(): Promise<TallyResult>;
  end(): Promise<void>;
}

/** Starts a judging. The signal ends it: its calls then reject. */
export type StartJudging = (
  definition: RedirectDefinition,
  pages: PathPages | undefined,
  signal: AbortSignal,
) => Promise<RemoteJudging>;

/** @param pages of the table of paths, if the definition has one */
export function createJudging(definition: RedirectDefinition, pages: PathPages | undefined): Judging {
  const judge = createJudge(definition, pages);
  const tally = createTally(judge);
  return {
    facts: neededFacts(definition, judge.compiled),
    judge(blocks, slice, facts) {
      const before = tally.replayed();
      const groups = readGroups(blocks, slice, facts, tally.add);
      return { groups, visits: tally.replayed() - before };
    },
    result: () => tally.result(),
  };
}
