import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { ALL_HITS, HITS_OF_PERIOD, type HitFilter, hitFilterParams } from './hit-filters.js';
import { DAY_MS, HOUR_MS, type Period } from './period.js';

/** Length of the bucket of one row of a roll-up. */
export type Bucket = 'hour' | 'day';

const LENGTH_MS: Readonly<Record<Bucket, number>> = { hour: HOUR_MS, day: DAY_MS };

/**
 * Latest hour that a roll-up can count; the engine's own limit is a few weeks later. Hits outside the range should
 * not exist and are read one by one.
 */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(2106, 0, 1) - 1;

/** The first and the last millisecond of some buckets that are wholly in a period. */
export type WholeBuckets = Period;

/** Returns the buckets that are wholly in the period; none when it is too short. */
export function wholeBuckets({ startMs, endMs }: Period, bucket: Bucket): WholeBuckets | undefined {
  const lengthMs = LENGTH_MS[bucket];
  const firstMs = Math.ceil(Math.max(startMs, FIRST_MS) / lengthMs) * lengthMs;
  const lastMs = Math.floor((Math.min(endMs, LAST_MS) + 1) / lengthMs) * lengthMs - 1;
  return firstMs < lastMs ? { startMs: firstMs, endMs: lastMs } : undefined;
}

/** Roll-ups that answer questions. The table's migration describes their columns. */
const BUCKET_OF = {
  by_day: 'day',
  by_hour: 'hour',
  by_condition: 'day',
  by_country: 'day',
  by_place: 'day',
  by_device: 'day',
  by_client: 'day',
  by_user_agent: 'day',
  by_language: 'day',
  by_referrer: 'day',
  by_campaign: 'day',
  by_query_names: 'day',
  by_path_and_match: 'day',
  by_destination: 'day',
  by_visitor: 'day',
  by_entry: 'day',
} as const satisfies Record<string, Bucket>;

export type RollUp = keyof typeof BUCKET_OF;

/** The columns of each roll-up that filters may need, beside its keys for times and bots. */
const COLUMNS_OF: Readonly<Record<RollUp, readonly string[]>> = {
  by_day: ['status_code'],
  by_hour: [],
  by_condition: ['country', 'status_code', 'rule_id'],
  by_country: ['country'],
  by_place: ['country', 'region', 'city'],
  by_device: ['device_type', 'browser_name', 'os_name'],
  by_client: ['device_type', 'browser_name'],
  by_user_agent: [],
  by_language: ['language'],
  by_referrer: ['referrer', 'referrer_domain', 'referrer_type'],
  by_campaign: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
  by_query_names: [],
  by_path_and_match: ['path'],
  by_destination: ['destination_url'],
  by_visitor: [],
  by_entry: ['rule_id', 'entry_id'],
};

/**
 * Precision of a roll-up's count of visitors (HyperLogLog). With 14, counts below 1,024 are exact and the standard
 * error beyond is 0.8 % (1.04 / √2^14). With 12, the figures are 256 and 1.6 %. A state takes up to 12 kB or 3 kB.
 */
const precisionOf = (rollUp: RollUp) => (rollUp === 'by_day' ? 14 : 12);

/** Roll-ups store exactly these expressions. Other expressions would read the hits. */
const MEASURES = {
  n: () => 'count()',
  visitors: (rollUp) => `uniqCombinedState(${precisionOf(rollUp)})(visitor)`,
  weight: () => 'sum(1 / sampling_rate)',
  maxLatitude: () => 'max(latitude)',
  maxLongitude: () => 'max(longitude)',
} as const satisfies Record<string, (rollUp: RollUp) => string>;

/**
 * `n` hits; `visitors`, a state to merge; `weight`, the traffic that the hits stand for, in `by_day`; `maxLatitude`
 * and `maxLongitude` in `by_place`.
 */
export type Measure = keyof typeof MEASURES;

/** Distinct visitors of groups from this roll-up, as SQL around `groups`. */
export const visitorsOf = (rollUp: RollUp) => `uniqCombinedMerge(${precisionOf(rollUp)})(visitors)`;
/**
 * Distinct visitors of those hits of a group that satisfy a condition. An estimate for many; never more than their
 * hits `n`.
 */
export const visitorsIf = (rollUp: RollUp, condition: string) =>
  `least(uniqCombinedMergeIf(${precisionOf(rollUp)})(visitors, ${condition}), sumIf(n, ${condition}))`;

const BUCKET_START: Readonly<Record<Bucket, (time: string) => string>> = {
  hour: (time) => `toStartOfHour(${time})`,
  day: (time) => `toDate(${time})`,
};

/** Start of the hour of a hit, a key of `by_hour`. */
export const HOUR = BUCKET_START.hour('timestamp');

/**
 * Quarter of an hour of a hit, a key of groups that are read hit by hit: local time of every zone differs from UTC by
 * a number of these.
 */
export const QUARTER = 'toStartOfFifteenMinutes(timestamp)';

/** Day of a hit, a key of all other roll-ups. */
export const DAY = BUCKET_START.day('timestamp');

/** `by_visitor` keeps one visitor in this many separately. */
export const VISITORS_PER_SAMPLED = 16;

/**
 * Key of `by_visitor`: a visitor of the sample, or 0 for all others. The keyed hash makes the sample random. The
 * roll-up stores exactly this expression.
 */
export const SAMPLED_VISITOR = `if(visitor % ${VISITORS_PER_SAMPLED} = 0, visitor, 0)`;

/** Hits in groups: the keys, and the measures of each group. */
export interface HitGroups {
  readonly rollUp: RollUp;
  /** Group keys, at least one: a name, and an expression over the roll-up's columns. */
  readonly keys: Readonly<Record<string, string>>;
  readonly measures: readonly Measure[];
  /** Over the roll-up's columns and the names of the keys. Default: all hits. */
  readonly where?: string;
  /** Whether no roll-up has these keys. Default: no. */
  readonly hitByHit?: boolean;
}

/**
 * Source of hits. `best` serves answers: it reads whole hours or days from the roll-up, and the remainders at both
 * ends of the period from hits. It reads hits alone if the roll-up lacks columns of the filters. `hits` serves tests and always
 * reads hits alone.
 */
export type SourceChoice = 'best' | 'hits';

export interface HitSource {
  /** Parameters of the SQL in `groups`. */
  readonly params: QueryParams;
  /** A condition for the single hits. */
  readonly hits: string;
  /** Whether a roll-up has all columns that the filters need. */
  has(rollUp: RollUp): boolean;
  /**
   * A SELECT of groups for use in FROM. The same group occurs up to twice, from the roll-up and from the hits: the
   * statement around it must sum or merge the measures.
   */
  groups(groups: HitGroups): string;
}

/** Decides for the filtered hits of one redirect in a period which are read one by one and which from a roll-up. */
export function createHitSource(filter: HitFilter, choice: SourceChoice = 'best'): HitSource {
  const { period, where = ALL_HITS } = filter;
  const filtered = (times: string) => (where === ALL_HITS ? times : `${times} AND ${where.sql}`);
  const hits = filtered(HITS_OF_PERIOD);
  const has = (rollUp: RollUp) => where.columns.every((column) => COLUMNS_OF[rollUp].includes(column));
  const whole = { hour: wholeBuckets(period, 'hour'), day: wholeBuckets(period, 'day') };

  return {
    params: { ...hitFilterParams(filter), ...paramsOf('hour', whole.hour), ...paramsOf('day', whole.day) },
    hits,
    has,
    groups(groups) {
      const bucket = BUCKET_OF[groups.rollUp];
      const buckets = whole[bucket];
      const isHitByHit = choice === 'hits' || groups.hitByHit === true || !has(groups.rollUp);
      if (buckets === undefined || isHitByHit) return selectGroups(groups, hits, HIT_BY_HIT);
      const middle = selectGroups(groups, filtered(inWhole(bucket)), fromRollUp(groups.rollUp));
      const edges = edgesOf(bucket, buckets, period);
      return edges === undefined
        ? middle
        : `${middle} UNION ALL ${selectGroups(groups, filtered(edges), HIT_BY_HIT)}`;
    },
  };
}

/**
 * Settings for a subquery over hits that no roll-up has. They stop the engine from searching for one, which takes
 * longer than many answers.
 */
export const HIT_BY_HIT = 'SETTINGS optimize_use_projections = 0';

/**
 * Settings for a subquery over a roll-up. Naming the roll-up saves the search and prevents a larger one. A text that is
 * only compared with the empty one would be read as its length, which no roll-up has. Merging one row of a roll-up can
 * take as long as reading a thousand hits, so threads take fewer rows at a time.
 */
export const fromRollUp = (rollUp: RollUp) =>
  `SETTINGS preferred_optimize_projection_name = '${rollUp}', optimize_functions_to_subcolumns = 0,
     merge_tree_min_rows_for_concurrent_read = 4096, merge_tree_min_bytes_for_concurrent_read = 65536`;

function selectGroups(
  { rollUp, keys, measures, where = '1' }: HitGroups,
  hits: string,
  settings: string,
): string {
  const columns = [
    ...Object.entries(keys).map(([name, expression]) => `${expression} AS ${name}`),
    ...measures.map((measure) => `${MEASURES[measure](rollUp)} AS ${measure}`),
  ];
  return `SELECT ${columns.join(', ')} FROM hits WHERE ${hits} AND (${where})
    GROUP BY ${Object.keys(keys).join(', ')} ${settings}`;
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

/** The condition for hits of the period outside its whole buckets; undefined if there can be none. */
function edgesOf(bucket: Bucket, whole: WholeBuckets, period: Period): string | undefined {
  const first = `timestamp >= ${time('start')} AND timestamp < ${time(`${bucket}WholeStart`)}`;
  const last = `timestamp > ${time(`${bucket}WholeEnd`)} AND timestamp <= ${time('end')}`;
  const edges = [
    ...(whole.startMs > period.startMs ? [first] : []),
    ...(whole.endMs < period.endMs ? [last] : []),
  ];
  return edges.length === 0 ? undefined : `redirect_id = {redirect:String} AND (${edges.join(' OR ')})`;
}

/** Converts a DateTime or a Date of UTC to Unix time in milliseconds, independent of the server's time zone. */
export function unixMs(time: string): string {
  return `toInt64(toUnixTimestamp(toDateTime(${time}, 'UTC'))) * 1000`;
}
