import type { ListedReplay, Replay, ReplaySource } from './replay.js';
import type { ListedReplayRecord, ReplayRecord, ReplayResult, ReplaySourceName } from './replay-schema.js';
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
      source: sourceName(order.source?.draft ?? null),
      version: order.source?.version ?? null,
      sample: order.sample,
      draft: order.source?.draft ?? null,
    },
    // Results of earlier releases have no versions.
    ...NO_RESULT,
    ...(result ?? { loop: [...order.loop] }),
    error,
    ...timesRecord(replay),
  };
}

/** Returns a replay as lists show it. */
export function listedRecord(replay: ListedReplay): ListedReplayRecord {
  const { id, redirectId, state, progress, period, source, version, sample, visits, error } = replay;
  return {
    id,
    redirectId,
    state,
    progress,
    ...periodRecord(period),
    spec: { source, version, sample },
    visits: visits ?? NO_RESULT.visits,
    error,
    ...timesRecord(replay),
    draft: source === 'version' ? null : source === 'draft' ? 'given' : 'stored',
    version,
    sample,
  };
}

function sourceName(draft: ReplaySource['draft']): ReplaySourceName {
  if (draft === null) return 'version';
  return draft === true ? 'stored_draft' : 'draft';
}

function timesRecord({
  createdAt,
  startedAt,
  finishedAt,
}: Pick<Replay, 'createdAt' | 'startedAt' | 'finishedAt'>) {
  return {
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

function periodRecord({ fromMs, toMs }: Slice) {
  return { start: new Date(fromMs).toISOString(), end: new Date(toMs - 1).toISOString() };
}
