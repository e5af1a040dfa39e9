import type { ListedReplay, Replay } from './replay.js';
import type { ListedReplayRecord, ReplayRecord, ReplayResult } from './replay-schema.js';
import type { Slice } from './visit-reader.js';

/** A replay that has judged nothing yet. */
const NO_RESULT: ReplayResult = {
  visits: {
    total: 0,
    estimatedTotal: 0,
    replayed: 0,
    unchanged: 0,
    changed: 0,
    unjudged: 0,
    otherDestination: 0,
    otherRule: 0,
    otherVariant: 0,
    newLoops: 0,
  },
  changes: [],
  unjudged: [],
  rules: [],
  versions: [],
  startsAtVersion: null,
  loop: [],
};

/** Returns a replay as the API shows it. */
export function replayRecord(replay: Replay): ReplayRecord {
  const { id, redirectId, order, state, progress, result, error } = replay;
  return {
    id,
    redirectId,
    state,
    progress,
    ...periodRecord(order.period),
    spec: {
      draft: order.source?.draft ?? null,
      version: order.source?.version ?? null,
      sample: order.sample,
    },
    // Results of earlier releases have no versions.
    ...NO_RESULT,
    ...(result ?? { loop: [...order.loop] }),
    error,
    createdAt: replay.createdAt.toISOString(),
    startedAt: replay.startedAt?.toISOString() ?? null,
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}

/** Returns a replay as lists show it. */
export function listedRecord(replay: ListedReplay): ListedReplayRecord {
  const { id, redirectId, state, progress, period, draft, version, sample, visits, error } = replay;
  return {
    id,
    redirectId,
    state,
    progress,
    ...periodRecord(period),
    draft,
    version,
    sample,
    visits: visits ?? NO_RESULT.visits,
    error,
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}

function periodRecord({ fromMs, toMs }: Slice) {
  return { start: new Date(fromMs).toISOString(), end: new Date(toMs - 1).toISOString() };
}
