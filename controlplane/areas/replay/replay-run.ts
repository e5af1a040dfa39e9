import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { VersionMarks } from '../history/public.js';
import { createJudge } from './judge.js';
import { type NeededFacts, neededFacts } from './needed-columns.js';
import type { ReplayOrder } from './replay.js';
import { type ReplayOutcome, resultOf } from './replay-result.js';
import { createTally, type Tally } from './tally.js';
import { factsOf, groupReader, type Slice, type VisitReader } from './visit-reader.js';

/** Longest work before other requests are answered. */
const TURN_MS = 5;
/** Lines that are parsed and judged between two looks at the clock: some dozens. */
const BYTES_PER_LOOK = 16_384;
const LINE_FEED = 10;

export interface ReplayRun {
  readonly order: ReplayOrder;
  readonly pages: PathPages | undefined;
  readonly reader: VisitReader;
  readonly marks: VersionMarks;
  readonly signal: AbortSignal;
  /** @param progress 0 to 1 */
  readonly onProgress: (progress: number) => void;
}

/**
 * Judges the recorded visits of a period. Memory is bounded: one slice of visits is judged while the next one is read.
 *
 * @throws the reason of the signal, and errors of the store
 */
export async function runReplay({
  order,
  pages,
  reader,
  marks,
  signal,
  onProgress,
}: ReplayRun): Promise<ReplayOutcome> {
  const { period, sample, definition } = order;
  const judge = createJudge(definition, pages);
  const tally = createTally(judge);
  const totals = await reader.totals(period);
  const versions = await reader.byVersion(period, marks);
  const facts = { ...neededFacts(definition, judge.compiled), isWeighted: totals.isSampled };
  const share = totals.visits <= sample ? 1 : sample / totals.visits;
  const slices = await reader.slices(period, facts);
  let next = readAhead(reader, slices[0], facts, share);
  for (const [index, slice] of slices.entries()) {
    const lines = await next;
    next = readAhead(reader, slices[index + 1], facts, share);
    await judgeLines(lines, slice, { facts, tally, signal });
    onProgress((index + 1) / slices.length);
  }
  return resultOf({
    order,
    totals,
    isSample: share < 1 || totals.isSampled,
    tally: tally.result(),
    versions,
    startsAtVersion: marks.atStart,
  });
}

function readAhead(
  reader: VisitReader,
  slice: Slice | undefined,
  facts: NeededFacts,
  share: number,
): Promise<Buffer> {
  if (slice === undefined) return Promise.resolve(Buffer.alloc(0));
  const lines = reader.groups(slice, facts, share);
  // Awaited after the slice before; until then nobody hears of a failure.
  lines.catch(() => undefined);
  return lines;
}

interface Judging {
  readonly facts: NeededFacts;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Judges the groups of a slice in turns of some milliseconds. */
async function judgeLines(lines: Buffer, slice: Slice, { facts, tally, signal }: Judging): Promise<void> {
  const read = groupReader(facts, slice);
  let turnEndsMs = performance.now() + TURN_MS;
  for (let start = 0; start < lines.length; ) {
    const end = endOfLines(lines, start);
    for (const { facts: found } of factsOf(lines.toString('utf8', start, end))) tally.add(read(found));
    start = end + 1;
    if (performance.now() < turnEndsMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnEndsMs = performance.now() + TURN_MS;
  }
  signal.throwIfAborted();
}

/** Returns the end of the last whole line within `BYTES_PER_LOOK`, or of the first line if that is longer. */
function endOfLines(lines: Buffer, start: number): number {
  if (lines.length - start <= BYTES_PER_LOOK) return withoutLineFeed(lines);
  const last = lines.lastIndexOf(LINE_FEED, start + BYTES_PER_LOOK);
  const end = last > start ? last : lines.indexOf(LINE_FEED, start + BYTES_PER_LOOK);
  return end < 0 ? lines.length : end;
}

function withoutLineFeed(lines: Buffer): number {
  return lines[lines.length - 1] === LINE_FEED ? lines.length - 1 : lines.length;
}
