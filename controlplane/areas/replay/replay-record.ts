import type { Replay } from './replay.js';
import type { ReplayRecord, ReplayResult } from './replay-schema.js';

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
    start: new Date(order.period.fromMs).toISOString(),
    end: new Date(order.period.toMs - 1).toISOString(),
    spec: {
      draft: order.source?.draft ?? null,
      version: order.source?.version ?? null,
      sample: order.sample,
    },
    ...(result ?? { ...NO_RESULT, loop: [...order.loop] }),
    error,
    createdAt: replay.createdAt.toISOString(),
    startedAt: replay.startedAt?.toISOString() ?? null,
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
