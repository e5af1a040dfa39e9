import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { VersionMarks } from '../history/public.js';
import { createJudge } from './judge.js';
import { type NeededFacts, neededFacts } from './needed-columns.js';
import type { ReplayOrder } from './replay.js';
import { type ReplayOutcome, resultOf } from './replay-result.js';
import { createTally, type Tally } from './tally.js';
import { factsOf, groupReader, type Reading, type Slice, type VisitReader } from './visit-reader.js';

/** Longest work before other requests are answered. */
const TURN_MS = 5;
/** Lines that are parsed and judged between two looks at the clock: some dozens. */
const BYTES_PER_LOOK = 16_384;
const LINE_FEED = 10;
/** Maximum groups per visit. With more, visits are read one by one. */
const MAX_GROUPS_PER_VISIT = 0.7;
/** Slices after which it is looked again whether visits make groups. */
const SLICES_PER_LOOK = 32;

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
  let isGrouped = true;
  const read = (index: number) => {
    const reading = { share, isGrouped: isGrouped || index % SLICES_PER_LOOK === 0 };
    return { reading, lines: readAhead(reader, slices[index], facts, reading) };
  };
  let next = read(0);
  for (const [index, slice] of slices.entries()) {
    const { reading, lines } = next;
    const text = await lines;
    next = read(index + 1);
    const before = tally.replayed();
    const groups = await judgeLines(text, slice, { facts, tally, signal });
    if (reading.isGrouped) isGrouped = groups < (tally.replayed() - before) * MAX_GROUPS_PER_VISIT;
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
  reading: Reading,
): Promise<Buffer> {
  if (slice === undefined) return Promise.resolve(Buffer.alloc(0));
  const lines = reader.groups(slice, facts, reading);
  // Awaited after the slice before; until then nobody hears of a failure.
  lines.catch(() => undefined);
  return lines;
}

interface Judging {
  readonly facts: NeededFacts;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Judges the groups of a slice in turns of some milliseconds. Resolves to their number. */
async function judgeLines(lines: Buffer, slice: Slice, { facts, tally, signal }: Judging): Promise<number> {
  const read = groupReader(facts, slice);
  let groups = 0;
  let turnEndsMs = performance.now() + TURN_MS;
  for (let start = 0; start < lines.length; ) {
    const end = endOfLines(lines, start);
    const found = factsOf(lines.toString('utf8', start, end));
    for (const { facts: each } of found) tally.add(read(each));
    groups += found.length;
    start = end + 1;
    if (performance.now() < turnEndsMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnEndsMs = performance.now() + TURN_MS;
  }
  signal.throwIfAborted();
  return groups;
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
