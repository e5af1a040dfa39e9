import type { QueryParams } from '../clickhouse/analytics-store.js';
import { HITS_OF_PERIOD, type HitFilter, hitFilterParams } from './hit-filter.js';
import { type Bucket, type WholeBuckets, wholeBuckets } from './whole-buckets.js';

/** The roll-ups that questions are answered from; which columns each has is said in the table's migration. */
const BUCKET_OF = {
  by_hour: 'hour',
  by_place: 'day',
  by_device: 'day',
  by_client: 'day',
  by_user_agent: 'day',
  by_language: 'day',
  by_referrer: 'day',
  by_campaign: 'day',
  by_query_names: 'day',
  by_path: 'day',
  by_destination: 'day',
  by_rule: 'day',
} as const satisfies Record<string, Bucket>;

export type RollUp = keyof typeof BUCKET_OF;

/** Roll-ups keep these very expressions: another way to count would read the hits. */
const MEASURES = {
  n: 'count()',
  visitors: 'uniqCombinedState(14)(visitor)',
  weight: 'sum(1 / sampling_rate)',
} as const;

/** `n` hits; `visitors`, a state to merge; `weight`, the traffic that the hits stand for. */
export type Measure = keyof typeof MEASURES;

/** Distinct visitors of groups, around `groups`. Exact to about a thousand, then with a standard error of 0.8 %. */
export const VISITORS = 'uniqCombinedMerge(14)(visitors)';
export const visitorsIf = (condition: string) => `uniqCombinedMergeIf(14)(visitors, ${condition})`;

const BUCKET_START: Readonly<Record<Bucket, (time: string) => string>> = {
  hour: (time) => `toStartOfHour(${time})`,
  day: (time) => `toDate(${time})`,
};

/** The start of the hour of a hit, as a key of `by_hour`. */
export const HOUR = BUCKET_START.hour('timestamp');

/** Hits in groups: what they have in common, and what is to be known of each group. */
export interface HitGroups {
  readonly rollUp: RollUp;
  /** At least one: its name, and an expression over the roll-up's columns. */
  readonly keys: Readonly<Record<string, string>>;
  readonly measures: readonly Measure[];
  /** Over the roll-up's columns and the names of the keys. Default: all hits. */
  readonly where?: string;
}

/**
 * Where hits are read from. `best` is for answers: whole hours or days from the roll-up, what the period cuts off
 * them at its ends from the hits. `hits` is for tests and reads nothing else: no roll-up has the times of hits.
 */
export type SourceChoice = 'best' | 'hits';

export interface HitSource {
  /** What the SQL of `groups` needs. */
  readonly params: QueryParams;
  /**
   * A SELECT of groups, to stand in FROM. The same group comes up to twice, from the roll-up and from the hits:
   * around it the measures are to be added up or merged.
   */
  groups(groups: HitGroups): string;
}

/** Decides, for the hits of one redirect in a period, which are read one by one and which from a roll-up. */
export function createHitSource(filter: HitFilter, choice: SourceChoice = 'best'): HitSource {
  const { period } = filter;
  const whole = { hour: wholeBuckets(period, 'hour'), day: wholeBuckets(period, 'day') };

  return {
    params: { ...hitFilterParams(filter), ...paramsOf('hour', whole.hour), ...paramsOf('day', whole.day) },
    groups(groups) {
      const bucket = BUCKET_OF[groups.rollUp];
      const buckets = whole[bucket];
      if (buckets === undefined || choice === 'hits') return selectGroups(groups, HITS_OF_PERIOD);
      const middle = selectGroups(groups, inWhole(bucket));
      const isCut = buckets.startMs > period.startMs || buckets.endMs < period.endMs;
      return isCut ? `${middle} UNION ALL ${selectGroups(groups, besideWhole(bucket))}` : middle;
    },
  };
}

/** Of a text that is only compared with the empty one the engine would read the length, which no roll-up has. */
const WHOLE_COLUMNS = 'SETTINGS optimize_functions_to_subcolumns = 0';

function selectGroups({ keys, measures, where = '1' }: HitGroups, hits: string): string {
  const columns = [
    ...Object.entries(keys).map(([name, expression]) => `${expression} AS ${name}`),
    ...measures.map((measure) => `${MEASURES[measure]} AS ${measure}`),
  ];
  return `SELECT ${columns.join(', ')} FROM hits WHERE ${hits} AND (${where})
    GROUP BY ${Object.keys(keys).join(', ')} ${WHOLE_COLUMNS}`;
}

function paramsOf(bucket: Bucket, buckets: WholeBuckets | undefined): QueryParams {
  return buckets === undefined
    ? {}
    : { [`${bucket}WholeStart`]: buckets.startMs, [`${bucket}WholeEnd`]: buckets.endMs };
}

const time = (param: string) => `fromUnixTimestamp64Milli({${param}:Int64}, 'UTC')`;

function inWhole(bucket: Bucket): string {
  const start = BUCKET_START[bucket];
  return `redirect_id = {redirect:String} AND ${start('timestamp')}
    BETWEEN ${start(time(`${bucket}WholeStart`))} AND ${start(time(`${bucket}WholeEnd`))}`;
}

function besideWhole(bucket: Bucket): string {
  return `redirect_id = {redirect:String} AND (
    timestamp >= ${time('start')} AND timestamp < ${time(`${bucket}WholeStart`)}
    OR timestamp > ${time(`${bucket}WholeEnd`)} AND timestamp <= ${time('end')})`;
}
