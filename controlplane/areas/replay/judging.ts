import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { createJudge } from './judge.js';
import { type NeededFacts, neededFacts } from './needed-columns.js';
import { createTally, type TallyResult } from './tally.js';
import { factsOf, groupReader, type Slice } from './visit-reader.js';

/** The groups of a slice, judged. */
export interface JudgedSlice {
  readonly groups: number;
  readonly visits: number;
}

/** Judges recorded visits by one definition, and counts the judgements. */
export interface Judging {
  /** Facts of visits that the definition needs. */
  readonly facts: NeededFacts;
  /** @param lines groups of visits with these facts, as the store writes them */
  judge(lines: Uint8Array, slice: Slice, facts: NeededFacts): JudgedSlice;
  result(): TallyResult;
}

/** A judging that runs beside this thread. It takes one call at a time. */
export interface RemoteJudging {
  readonly facts: NeededFacts;
  /** Transfers the memory of `lines`, so that the caller cannot read them afterwards. */
  judge(lines: Uint8Array, slice: Slice, facts: NeededFacts): Promise<JudgedSlice>;
  result(): Promise<TallyResult>;
  end(): Promise<void>;
}

/** Starts a judging. The signal ends it: its calls then reject. */
export type StartJudging = (
  definition: RedirectDefinition,
  pages: PathPages | undefined,
  signal: AbortSignal,
) => Promise<RemoteJudging>;

/** Lines that are parsed at once: some dozens. */
const BYTES_AT_ONCE = 16_384;
const LINE_FEED = 10;

/** @param pages of the table of paths, if the definition has one */
export function createJudging(definition: RedirectDefinition, pages: PathPages | undefined): Judging {
  const judge = createJudge(definition, pages);
  const tally = createTally(judge);
  return {
    facts: neededFacts(definition, judge.compiled),
    judge({ buffer, byteOffset, byteLength }, slice, facts) {
      const lines = Buffer.from(buffer, byteOffset, byteLength);
      const read = groupReader(facts, slice);
      const before = tally.replayed();
      let groups = 0;
      for (let start = 0; start < lines.length; ) {
        const end = endOfLines(lines, start);
        const found = factsOf(lines.toString('utf8', start, end));
        for (const { facts: each } of found) tally.add(read(each));
        groups += found.length;
        start = end + 1;
      }
      return { groups, visits: tally.replayed() - before };
    },
    result: () => tally.result(),
  };
}

/** Returns the end of the last whole line within `BYTES_AT_ONCE`, or of the first line if that is longer. */
function endOfLines(lines: Buffer, start: number): number {
  if (lines.length - start <= BYTES_AT_ONCE) return withoutLineFeed(lines);
  const last = lines.lastIndexOf(LINE_FEED, start + BYTES_AT_ONCE);
  const end = last > start ? last : lines.indexOf(LINE_FEED, start + BYTES_AT_ONCE);
  return end < 0 ? lines.length : end;
}

function withoutLineFeed(lines: Buffer): number {
  return lines[lines.length - 1] === LINE_FEED ? lines.length - 1 : lines.length;
}
