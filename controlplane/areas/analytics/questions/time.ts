import { type Static, Type } from 'typebox';
import { count, timestamp } from '../analytics-schema.js';
import { bucketStarts, INTERVALS, type Interval } from '../intervals.js';
import { iso } from '../period.js';
import { AUDIENCE, COUNTED, defineQuestion, type QueryContext } from '../question.js';
import { average } from '../ratios.js';
import { DAY, HOUR, type RollUp, visitorsIf } from '../source.js';
import { unixMs } from '../sql-time.js';

const PointSchema = Type.Object({
  timestamp: timestamp('Start of the bucket. The first one may begin before the period.'),
  hits: count('Sum of `botHits` and `humanHits`.'),
  uniqueVisitors: count('Distinct visitors. Excludes bots unless `includeBots`.'),
  botHits: count('Hits of known bots.'),
  humanHits: count('Hits that are not from known bots.'),
});

const SummarySchema = Type.Object({
  totalHits: count('Sum of all buckets.'),
  peakHits: count('Hits of the busiest bucket.'),
  peakTimestamp: Type.Union([timestamp('Start of the busiest bucket.'), Type.Null()]),
  avgHits: Type.Number({ description: '`totalHits` divided by the number of buckets.' }),
});

type Point = Static<typeof PointSchema>;

export const timeStats = defineQuestion({
  path: 'stats/time',
  summary: 'Hits over time',
  title: 'TimeStats',
  query: {
    interval: Type.Enum([...INTERVALS], {
      default: 'day',
      description: 'Length of a bucket. Weeks begin on Monday.',
    }),
  },
  data: Type.Object({
    timeSeries: Type.Array(PointSchema, {
      description: 'All buckets of the period, including empty ones.',
    }),
    summary: SummarySchema,
  }),
  meta: { interval: Type.Enum([...INTERVALS]) },
  bots: 'totals',
  series: ({ interval }) => ({ timeSeries: interval }),
  async ask(context, { interval }) {
    const starts = bucketStarts(context.period, interval, context.zoned.zone);
    const found = new Map((await readBuckets(context, interval)).map((bucket) => [bucket.startMs, bucket]));
    const timeSeries = starts.map((startMs) => {
      const { botHits, humanHits, uniqueVisitors } = found.get(startMs) ?? NO_HITS;
      return { timestamp: iso(startMs), hits: botHits + humanHits, uniqueVisitors, botHits, humanHits };
    });
    return { data: { timeSeries, summary: summaryOf(timeSeries) }, meta: { interval } };
  },
});

const NO_HITS = { botHits: 0, humanHits: 0, uniqueVisitors: 0 } as const;

interface BucketRow extends Readonly<Record<keyof typeof NO_HITS, number>> {
  /** Start of the bucket, Unix time in milliseconds. */
  readonly startMs: number;
}

const BUCKET_OF: Readonly<Record<Interval, { rollUp: 'by_day' | 'by_hour'; start: string }>> = {
  hour: { rollUp: 'by_hour', start: HOUR },
  day: { rollUp: 'by_day', start: DAY },
  week: { rollUp: 'by_day', start: `toStartOfWeek(${DAY}, 1)` },
  month: { rollUp: 'by_day', start: `toStartOfMonth(${DAY})` },
};

/** Reads the buckets with hits. */
function readBuckets(context: QueryContext, interval: Interval): Promise<BucketRow[]> {
  if (!context.zoned.isUtc) return readZonedBuckets(context, interval);
  const { rollUp, start } = BUCKET_OF[interval];
  const hits = context.source.groups({
    rollUp,
    keys: { bucket: start, is_bot: 'is_bot' },
    measures: ['n', 'visitors'],
    where: COUNTED,
  });
  return context.select<BucketRow>(
    `SELECT ${bucketColumns('bucket', rollUp)} FROM (${hits}) GROUP BY startMs`,
  );
}

/** Start of a bucket, of the local time of a day. */
const ZONED_BUCKET: Readonly<Record<Exclude<Interval, 'hour'>, (day: string) => string>> = {
  day: (day) => day,
  week: (day) => `toStartOfWeek(${day}, 1)`,
  month: (day) => `toStartOfMonth(${day})`,
};

/** Reads hours and adds them up to the days of a time zone. */
async function readZonedBuckets(
  { source, select, zoned }: QueryContext,
  interval: Interval,
): Promise<BucketRow[]> {
  const hits = source.groups({
    rollUp: 'by_hour',
    keys: { slot: zoned.slot, is_bot: 'is_bot' },
    measures: ['n', 'visitors'],
    where: COUNTED,
    hitByHit: zoned.hitByHit,
  });
  const isHour = interval === 'hour';
  const bucket = isHour
    ? zoned.hourStart('slot')
    : ZONED_BUCKET[interval](`toDate(${zoned.local('slot')}, 'UTC')`);
  const rows = await select<BucketRow>(
    `SELECT ${bucketColumns(bucket, 'by_hour')} FROM (${hits}) GROUP BY startMs`,
  );
  return isHour ? rows : rows.map((row) => ({ ...row, startMs: zoned.zone.momentOf(row.startMs) }));
}

const bucketColumns = (start: string, rollUp: RollUp) =>
  `${unixMs(start)} AS startMs, sumIf(n, is_bot = 1) AS botHits, sumIf(n, is_bot = 0) AS humanHits,
   ${visitorsIf(rollUp, AUDIENCE)} AS uniqueVisitors`;

function summaryOf(timeSeries: readonly Point[]): Static<typeof SummarySchema> {
  const totalHits = timeSeries.reduce((sum, { hits }) => sum + hits, 0);
  const peakHits = timeSeries.reduce((most, { hits }) => Math.max(most, hits), 0);
  const peak = timeSeries.find(({ hits }) => hits === peakHits);
  return {
    totalHits,
    peakHits,
    peakTimestamp: peak === undefined || peakHits === 0 ? null : peak.timestamp,
    avgHits: average(totalHits, timeSeries.length),
  };
}
