import type { AreaParts } from '../../area.js';
import {
  createAnalyticsRepository,
  createAtOnceLimit,
  DAY_MS,
  iso,
  type Period,
  parsePeriod,
  startOfDay,
} from '../analytics/public.js';
import type { Definition, RequireExperiment } from './experiment.js';
import { experimentRepository } from './experiment-repository.js';
import {
  DEFAULT_EFFECT_PERCENT,
  DEFAULT_VISIT_WINDOW_DAYS,
  type Results,
  type ResultsQuery,
} from './experiment-schema.js';
import {
  type ArmHits,
  type ArmTotals,
  type ExposureQuestion,
  readArmHits,
  readArmTotals,
  readPostedGoals,
} from './exposure-repository.js';
import { type Goal, parseGoal, unknownGoal, VISIT } from './goal.js';
import { resultOf } from './result.js';
import { type Segment, segmentsOf } from './segments.js';

/** Maximum concurrent results of one user. Each reads all visitors of the period. */
const RESULTS_AT_ONCE = 4;
const MAX_GOALS = 100;
/** Maximum changes at which a result is split. */
const MAX_CHANGES = 20;

export interface ResultsServiceDeps extends Pick<AreaParts, 'database' | 'store'> {
  readonly requireExperiment: RequireExperiment;
  /** Days for which a user's plan keeps hits; undefined is for ever. */
  readonly retentionDaysOf: (userId: string) => Promise<number | undefined>;
  readonly now: () => Date;
}

export interface ResultsAsker {
  readonly userId: string;
  readonly ruleId: string;
  readonly signal: AbortSignal;
}

/** Computes the results of an experiment. */
export type ReadResults = (asker: ResultsAsker, query: ResultsQuery) => Promise<Results>;

export function createReadResults(deps: ResultsServiceDeps): ReadResults {
  const { database, store, requireExperiment, retentionDaysOf, now } = deps;
  const results = createAtOnceLimit({
    what: 'results of experiments',
    maxOfUser: RESULTS_AT_ONCE,
    retryAfterSeconds: 1,
  });

  /** @returns the id of the redirect whose visits are the goal */
  async function redirectOfGoal(userId: string, goal: Goal): Promise<string | undefined> {
    if (goal.kind === 'posted') return undefined;
    const id = await experimentRepository.redirectOfHost(database, userId, goal.host);
    if (id === undefined) throw unknownGoal(`You have no redirect for the host ${goal.host}.`);
    return id;
  }

  async function answer({ userId, ruleId, signal }: ResultsAsker, query: ResultsQuery): Promise<Results> {
    const { rule, definition } = await requireExperiment(ruleId, userId);
    const goal = parseGoal(query.goal);
    const goalRedirectId = await redirectOfGoal(userId, goal);
    const period = periodOf(query, rule.createdAt, now(), await retentionDaysOf(userId));
    const changes = await experimentRepository.changesIn(database, rule.id, period, MAX_CHANGES);
    const segments = segmentsOf(period, changes, rule.action);
    const question: ExposureQuestion = {
      redirectId: rule.redirectId,
      ruleId: rule.id,
      period,
      segments,
      includesBots: query.includeBots === true,
    };
    const windowDays = query.windowDays ?? (goal.kind === 'visit' ? DEFAULT_VISIT_WINDOW_DAYS : undefined);
    const { select } = createAnalyticsRepository(store, { owner: userId, signal });
    const [totals, hits, goals] = await Promise.all([
      readArmTotals(select, question, {
        goal,
        goalRedirectId,
        windowMs: windowDays === undefined ? undefined : windowDays * DAY_MS,
      }),
      readArmHits(select, question),
      readPostedGoals(select, question, MAX_GOALS),
    ]);
    requireKnownGoal(goal, goals);
    const effectPercent = query.effectPercent ?? DEFAULT_EFFECT_PERCENT;
    const options = { effectPercent, hasRevenue: totals.some(({ valueSquares }) => valueSquares > 0) };
    const parts = segments.map((segment, index) => ({
      segment,
      result: resultOf(
        segment.definition ?? definition,
        segment.definition === undefined ? [] : totals.filter((total) => total.segment === index),
        options,
      ),
    }));
    const [last] = parts.slice(-1);
    return {
      ...(last?.result ?? resultOf(definition, [], options)),
      goal: query.goal ?? null,
      goals,
      segments:
        segments.length === 1 ? [] : parts.map(({ segment, result }) => ({ ...bounds(segment), ...result })),
      bots: hits
        .filter(({ isBot }) => isBot === 1)
        .map((bot) => ({ variant: bot.arm, hits: bot.hits, visitors: bot.visitors })),
      meta: {
        ruleId: rule.id,
        redirectId: rule.redirectId,
        period: bounds(period),
        windowDays: windowDays ?? null,
        effectPercent,
        bots: question.includesBots ? 'included' : 'excluded',
        changedAt: segments.length === 1 ? null : iso(segments.at(-1)?.startMs ?? period.startMs),
        unassigned: unassigned(totals, segments),
        sampling: samplingOf(hits),
      },
    };
  }

  return (asker, query) => results.during(asker.userId, () => answer(asker, query));
}

function bounds({ startMs, endMs }: Period) {
  return { start: iso(startMs), end: iso(endMs) };
}

/** Returns the requested period, limited to the hits that the plan keeps. */
function periodOf(
  { start, end }: ResultsQuery,
  createdAt: Date,
  now: Date,
  retentionDays: number | undefined,
): Period {
  const asked = parsePeriod(
    { ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
    now,
  );
  // Without a start, the end may be before the creation of the rule.
  const startMs =
    start === undefined ? Math.min(startOfDay(createdAt.getTime()), asked.endMs) : asked.startMs;
  const keptFromMs =
    retentionDays === undefined ? startMs : startOfDay(now.getTime()) - retentionDays * DAY_MS;
  return { startMs: Math.min(asked.endMs, Math.max(startMs, keptFromMs)), endMs: asked.endMs };
}

/** Refuses a name without conversions if other names are known: it is probably a mistake. */
function requireKnownGoal(goal: Goal, goals: readonly { readonly goal: string }[]): void {
  if (goal.kind === 'visit' || goal.name === undefined || goals.length === 0) return;
  if (goals.length === MAX_GOALS || goals.some((known) => known.goal === goal.name)) return;
  const names = goals.map((known) => known.goal).join(', ');
  throw unknownGoal(`No conversions were posted for the goal ${goal.name}; there are some for: ${names}.`);
}

/** Counts visitors whose first arm is not in the definition of that time. */
function unassigned(totals: readonly ArmTotals[], segments: readonly Segment[]): number {
  const hasArm = (definition: Definition | undefined, arm: string) =>
    definition?.arms.some(({ name }) => name === arm) === true;
  return totals
    .filter(({ segment, arm }) => !hasArm(segments[segment]?.definition, arm))
    .reduce((sum, { visitors }) => sum + visitors, 0);
}

function samplingOf(hits: readonly ArmHits[]): Results['meta']['sampling'] {
  const rate = Math.min(1, ...hits.map(({ leastRate }) => leastRate));
  return {
    rate,
    recordedHits: hits.reduce((sum, arm) => sum + arm.hits, 0),
    estimatedTotalHits: Math.round(hits.reduce((sum, { weight }) => sum + weight, 0)),
    note:
      rate === 1
        ? null
        : `Visits were sampled. Visitors and conversions are those of recorded visits and are not scaled up. Goals that begin with ${VISIT} are found less often where their visits were sampled too, in all variants alike.`,
  };
}
