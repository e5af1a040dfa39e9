import { rateInterval } from '../experiments/public.js';
import type { Answer } from './judge.js';
import type { ListedReplay, Replay, ReplayOrder, ReplaySource } from './replay.js';
import type { ListedReplayRecord, ReplayRecord, ReplayResult, ReplaySourceName } from './replay-schema.js';
import type { TallyResult } from './tally.js';
import type { VisitExample } from './visit-group.js';
import type { Slice, VisitTotals } from './visit-reader.js';

/** Maximum length of the path of an example. */
const MAX_PATH_LENGTH = 200;

export interface Replayed {
  readonly order: ReplayOrder;
  readonly totals: VisitTotals;
  /** Whether only some of the visits were judged. */
  readonly isSample: boolean;
  readonly tally: TallyResult;
  readonly versions: ReadonlyMap<number | null, number>;
  readonly startsAtVersion: number | undefined;
}

/** Returns a result as the API shows it. */
export function resultOf({
  order,
  totals,
  isSample,
  tally,
  versions,
  startsAtVersion,
}: Replayed): ReplayResult {
  const { replayed, unchanged, changed, unjudged, byChange, loops, weight: total } = tally;
  const shareOf = (weight: number) => (total === 0 ? 0 : weight / total);
  // Visits of unequal weights have the information of fewer equally weighted ones: Kish, "Survey Sampling" (1965),
  // section 11.7.
  const effective = replayed === 0 ? 0 : total ** 2 / tally.squares;
  return {
    visits: {
      total: totals.visits,
      estimatedTotal: totals.estimated,
      replayed,
      unchanged,
      changed,
      unjudged,
      ...byChange,
      newLoops: loops,
    },
    changes: tally.changes.map(({ from, to, visits, weight, isRest, examples }) => ({
      from: answerRecord(from),
      to: answerRecord(to),
      visits,
      share: shareOf(weight),
      ...(isSample &&
        replayed > 0 && {
          estimatedVisits: Math.round(shareOf(weight) * totals.estimated),
          interval: rateInterval(shareOf(weight) * effective, effective),
        }),
      isRest,
      examples: examples.map(exampleRecord),
    })),
    unjudged: tally.gaps.map((gap) => ({
      attribute: gap.attribute,
      reason: gap.reason,
      visits: gap.visits,
      share: shareOf(gap.weight),
    })),
    rules: rulesOf(order, tally),
    versions: [...versions]
      .map(([version, visits]) => ({ version, visits }))
      .sort((one, other) => (other.version ?? 0) - (one.version ?? 0)),
    startsAtVersion: startsAtVersion ?? null,
    loop: [...order.loop],
  };
}

/** Returns the rules of the definition in their order, and then, by id, deleted rules that decided visits. */
function rulesOf({ definition, ruleNames }: ReplayOrder, tally: TallyResult): ReplayResult['rules'] {
  const names = new Map(ruleNames);
  const { before, after, shadowed } = tally;
  const current = (definition.rules ?? []).map(({ id }) => id);
  const gone = [...before.keys()]
    .filter((id) => id !== 0 && !current.includes(id))
    .sort((one, other) => one - other);
  const stateOf = (id: number) => {
    if (after.has(id)) return 'decides';
    if (shadowed.has(id)) return 'shadowed';
    return tally.unjudged > 0 ? 'unknown' : 'matches_nothing';
  };
  return [
    ...current.map((id) => ({ id, state: stateOf(id) }) as const),
    ...gone.map((id) => ({ id, state: 'removed' }) as const),
  ].map(({ id, state }) => ({
    ruleId: id,
    name: names.get(id) ?? '',
    before: before.get(id) ?? 0,
    after: after.get(id) ?? 0,
    state,
  }));
}

/** Returns an answer as the API shows it. The store has no null. */
export function answerRecord({ ruleId, variant, destination, statusCode }: Answer) {
  return {
    ruleId: ruleId === 0 ? null : ruleId,
    variant: variant === '' ? null : variant,
    destination: destination === '' ? null : destination,
    statusCode,
  };
}

function exampleRecord({ timeMs, path, country, deviceType }: VisitExample) {
  return {
    path: path.slice(0, MAX_PATH_LENGTH),
    timestamp: new Date(timeMs).toISOString(),
    country: country === '' ? null : country,
    deviceType: deviceType === '' ? null : deviceType,
  };
}

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
