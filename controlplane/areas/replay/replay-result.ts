import { rateInterval } from '../experiments/public.js';
import type { Answer } from './judge.js';
import type { ReplayOrder } from './replay.js';
import type { ReplayResult } from './replay-schema.js';
import type { TallyResult } from './tally.js';
import type { VisitExample } from './visit-group.js';
import type { VisitTotals } from './visit-reader.js';

export type ReplayOutcome = ReplayResult;

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
  // Visits of unlike weights tell as much as fewer alike ones: Kish, "Survey Sampling" (1965), section 11.7.
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
