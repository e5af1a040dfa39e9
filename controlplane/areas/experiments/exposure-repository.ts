import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { AnalyticsRepository, Period } from '../analytics/public.js';
import type { Goal } from './goal.js';
import type { Segment } from './segments.js';

type Select = AnalyticsRepository['select'];

/** Visitors of one arm in one segment. */
export interface ArmTotals {
  /** Index of the segment of their first exposure. */
  readonly segment: number;
  /** The arm that they were sent to first. */
  readonly arm: string;
  readonly visitors: number;
  readonly conversions: number;
  /** Visitors whom the rule sent to more than one arm in the period. */
  readonly mixed: number;
  /** Sums over the values of the visitors, their squares and their cubes. */
  readonly valueSum: number;
  readonly valueSquares: number;
  readonly valueCubes: number;
}

/** Hits of one arm, people and bots apart. */
export interface ArmHits {
  readonly arm: string;
  readonly isBot: 0 | 1;
  readonly hits: number;
  readonly visitors: number;
  readonly leastRate: number;
  readonly weight: number;
}

export interface ExposureQuestion {
  readonly redirectId: string;
  readonly ruleId: number;
  readonly period: Period;
  readonly segments: readonly Segment[];
  readonly includesBots: boolean;
}

export interface GoalQuestion {
  readonly goal: Goal;
  /** Redirect whose visits are the goal; undefined for posted conversions. */
  readonly goalRedirectId: string | undefined;
  /** Time after the first visit in which a conversion counts; undefined: until the end of the period. */
  readonly windowMs: number | undefined;
}

const TIME_MS = 'toUnixTimestamp64Milli(timestamp)';
const IN_PERIOD = `timestamp BETWEEN fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;
/** Condition for exposures: answers that redirected the visitor. Others, such as 508, are not exposures. */
const SENT_ON = `redirect_id = {redirect:String} AND ${IN_PERIOD} AND rule_id = {rule:UInt64} AND status_code BETWEEN 300 AND 399`;
/** Segments count from 1, like arrays of ClickHouse. With one segment, nothing is computed per hit. */
const segmentOf = (segments: readonly Segment[]) =>
  segments.length === 1 ? '1' : `1 + arrayCount(cut -> cut <= ${TIME_MS}, {cuts:Array(Int64)})`;

/** The arm of a hit: its variant, or the side of a percentage. */
function armOf(segments: readonly Segment[]): string {
  if (segments.every(({ definition }) => definition?.inside === undefined)) return 'variant';
  const segment = segmentOf(segments);
  const base = `{bases:Array(String)}[${segment}]`;
  // Inside a percentage: the status, and a destination that is the URL or continues it with a delimiter.
  const isInside = `status_code = {statuses:Array(UInt16)}[${segment}] AND startsWith(destination_url, ${base})
    AND (endsWith(${base}, '/') OR substring(destination_url, length(${base}) + 1, 1) IN ('', '/', '?', '#'))`;
  return `if(${base} = '', variant, if(${isInside}, 'in', 'out'))`;
}

/** One row for each visitor, with the time and the arm of the first exposure. */
const exposuresOf = (segments: readonly Segment[]) => `SELECT visitor, min(timeMs) AS firstMs,
    argMin(hitArm, (timeMs, ordinal)) AS arm, argMin(hitSegment, (timeMs, ordinal)) AS segment,
    argMin(producer_id, (timeMs, ordinal)) AS firstProducer, argMin(ordinal, (timeMs, ordinal)) AS firstOrdinal,
    min(hitArm) != max(hitArm) AS isMixed
  FROM (SELECT visitor, ${TIME_MS} AS timeMs, producer_id, ordinal, toString(${armOf(segments)}) AS hitArm,
      toUInt16(${segmentOf(segments)}) AS hitSegment
    FROM hits WHERE ${SENT_ON} AND is_bot <= {mostBot:UInt8})
  GROUP BY visitor`;

const POSTED = `SELECT visitor, toUnixTimestamp64Milli(at) AS atMs, value FROM conversions FINAL
  WHERE redirect_id = {redirect:String} AND rule_id = {rule:UInt64} AND ({goal:String} = '' OR goal = {goal:String})
    AND at <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

const VISITS = (
  isPrefix: boolean,
) => `SELECT visitor, ${TIME_MS} AS atMs, 0 AS value, producer_id, ordinal FROM hits
  WHERE redirect_id = {goalRedirect:String} AND ${IN_PERIOD} AND status_code < 400 AND is_bot <= {mostBot:UInt8}
    AND ${isPrefix ? 'startsWith(path, {path:String})' : 'path = {path:String}'}`;

/**
 * The visit that shows the variant is no conversion, but one in the same millisecond can be. A producer numbers its hits in
 * their order; the order of hits of two producers in one millisecond is not known.
 */
const IS_LATER_HIT =
  '(goals.atMs > firstMs OR goals.producer_id != firstProducer OR goals.ordinal > firstOrdinal)';

/** Returns the totals of each arm that visitors were sent to. Every visitor is in one of them. */
export async function readArmTotals(
  select: Select,
  question: ExposureQuestion,
  { goal, goalRedirectId, windowMs }: GoalQuestion,
): Promise<ArmTotals[]> {
  const isVisit = goal.kind === 'visit';
  const counts = `goals.atMs >= firstMs AND goals.atMs - firstMs <= {window:Int64}${isVisit ? ` AND ${IS_LATER_HIT}` : ''}`;
  return select<ArmTotals>(
    `SELECT segment - 1 AS segment, arm, count() AS visitors, countIf(conversions > 0) AS conversions,
       countIf(isMixed) AS mixed, sum(value) AS valueSum, sum(value * value) AS valueSquares,
       sum(value * value * value) AS valueCubes
     FROM (
       SELECT exposures.visitor AS visitor, any(exposures.segment) AS segment, any(exposures.arm) AS arm,
         any(exposures.isMixed) AS isMixed, countIf(${counts}) AS conversions, sumIf(goals.value, ${counts}) AS value
       FROM (${exposuresOf(question.segments)}) AS exposures
       LEFT JOIN (${isVisit ? VISITS(goal.isPrefix) : POSTED}) AS goals ON exposures.visitor = goals.visitor
       GROUP BY exposures.visitor)
     GROUP BY segment, arm ORDER BY segment, arm`,
    {
      ...exposureParams(question),
      window: windowMs ?? question.period.endMs - question.period.startMs,
      ...(isVisit ? { goalRedirect: goalRedirectId ?? '', path: goal.path } : { goal: goal.name ?? '' }),
    },
  );
}

/** Returns the hits of each arm in the period, with those of bots. */
export async function readArmHits(select: Select, question: ExposureQuestion): Promise<ArmHits[]> {
  const { mostBot: _, ...params } = exposureParams(question);
  return select<ArmHits>(
    `SELECT toString(${armOf(question.segments)}) AS arm, is_bot AS isBot, count() AS hits, uniqExact(visitor) AS visitors,
       min(sampling_rate) AS leastRate, sum(1 / sampling_rate) AS weight
     FROM hits WHERE ${SENT_ON} GROUP BY arm, isBot ORDER BY arm, isBot`,
    params,
  );
}

/** Returns the names of goals that conversions were posted for, the most frequent first. */
export async function readPostedGoals(
  select: Select,
  { redirectId, ruleId }: ExposureQuestion,
  limit: number,
): Promise<{ goal: string; conversions: number }[]> {
  return select(
    `SELECT goal, count() AS conversions FROM conversions FINAL
     WHERE redirect_id = {redirect:String} AND rule_id = {rule:UInt64}
     GROUP BY goal ORDER BY conversions DESC, goal LIMIT {limit:UInt32}`,
    { redirect: redirectId, rule: ruleId, limit },
  );
}

function exposureParams({ redirectId, ruleId, period, segments, includesBots }: ExposureQuestion) {
  return {
    redirect: redirectId,
    rule: ruleId,
    start: period.startMs,
    end: period.endMs,
    cuts: segments.slice(1).map(({ startMs }) => startMs),
    bases: segments.map(({ definition }) => definition?.inside?.base ?? ''),
    statuses: segments.map(({ definition }) => definition?.inside?.statusCode ?? 0),
    mostBot: Number(includesBots),
  } satisfies QueryParams;
}
