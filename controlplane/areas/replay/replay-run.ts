import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { VersionMarks } from '../history/public.js';
import type { StartJudging } from './judging.js';
import type { NeededFacts } from './needed-columns.js';
import type { ReplayOrder } from './replay.js';
import { resultOf } from './replay-result.js';
import type { ReplayResult } from './replay-schema.js';
import type { Reading, Slice, VisitReader } from './visit-reader.js';

/** Maximum groups per visit. With more, visits are read one by one. */
const MAX_GROUPS_PER_VISIT = 0.7;
/** Slices after which the replay checks again whether visits form groups. */
const SLICES_PER_LOOK = 32;

export interface ReplayRun {
  readonly order: ReplayOrder;
  readonly pages: PathPages | undefined;
  readonly reader: VisitReader;
  readonly marks: VersionMarks;
  readonly startJudging: StartJudging;
  readonly signal: AbortSignal;
  /** @param progress 0 to 1 */
  readonly onProgress: (progress: number) => void;
}

/**
 * Judges the recorded visits of a period. Memory is bounded: one slice of visits is judged while the next one is read.
 *
 * @throws when the signal is aborted, and errors of the store and of the judging
 */
export async function runReplay({
  order,
  pages,
  reader,
  marks,
  startJudging,
  signal,
  onProgress,
}: ReplayRun): Promise<ReplayResult> {
  const { period, sample, definition } = order;
  const judging = await startJudging(definition, pages, signal);
  try {
    const { visits: found, isSampled } = await reader.totals(period);
    const facts = { ...judging.facts, isWeighted: isSampled };
    const share = found <= sample ? 1 : sample / found;
    const slices = await reader.slices(period, facts);
    let isGrouped = true;
    const read = (index: number) => {
      const reading = { share, isGrouped: isGrouped || index % SLICES_PER_LOOK === 0 };
      return { reading, blocks: readAhead(reader, slices[index], facts, reading) };
    };
    let next = read(0);
    for (const [index, slice] of slices.entries()) {
      const { reading, blocks } = next;
      const bytes = await blocks;
      next = read(index + 1);
      const { groups, visits } = await judging.judge(bytes, slice, facts);
      if (reading.isGrouped) isGrouped = groups < visits * MAX_GROUPS_PER_VISIT;
      onProgress((index + 1) / slices.length);
    }
    return resultOf({
      order,
      // Hits of the period can arrive during the replay. Counted after it, they are never fewer than the replayed ones.
      totals: await reader.totals(period),
      isSample: share < 1 || isSampled,
      tally: await judging.result(),
      versions: await reader.byVersion(period, marks),
      startsAtVersion: marks.atStart,
    });
  } finally {
    await judging.end();
  }
}

function readAhead(
  reader: VisitReader,
  slice: Slice | undefined,
  facts: NeededFacts,
  reading: Reading,
): Promise<Buffer> {
  if (slice === undefined) return Promise.resolve(Buffer.alloc(0));
  const blocks = reader.groups(slice, facts, reading);
  // It is awaited after the previous slice. A failure before that must not count as unhandled.
  blocks.catch(() => undefined);
  return blocks;
}
