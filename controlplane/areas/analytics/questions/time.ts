import { type Static, Type } from 'typebox';
import { count, timestamp } from '../analytics-schema.js';
import { bucketStarts, INTERVALS, type Interval } from '../intervals.js';
import { iso } from '../period.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { average } from '../ratios.js';
import { DAY, unixMs } from '../source.js';
import type { ZonedTime } from '../zoned-time.js';
import { sumOfHits } from './list-rows.js';

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

interface Bucket extends Readonly<Record<keyof typeof NO_HITS, number>> {
  /** Unix time in milliseconds. */
  readonly startMs: number;
}

/** Reads the buckets with hits. */
async function readBuckets({ countHits, zoned }: QueryContext, interval: Interval): Promise<Bucket[]> {
  const { rollUp, start, hitByHit, momentOf } = bucketsOf(zoned, interval);
  const bucket = unixMs(start);
  const [hits, visitors] = await Promise.all([
    countHits({ rollUp, hitByHit, keys: { bucket, isBot: 'is_bot' }, of: 'counted' }),
    countHits({ rollUp, hitByHit, keys: { bucket }, of: 'audience', withVisitors: true }),
  ]);
  const hitsOf = (isBot: '0' | '1') =>
    new Map(hits.filter((row) => row.isBot === isBot).map((row) => [row.bucket, row.hits]));
  const [botHits, humanHits] = [hitsOf('1'), hitsOf('0')];
  const uniqueVisitors = new Map(visitors.map((row) => [row.bucket, row.uniqueVisitors]));
  return [...new Set(hits.map((row) => row.bucket))].map((of) => ({
    startMs: momentOf(Number(of)),
    botHits: botHits.get(of) ?? 0,
    humanHits: humanHits.get(of) ?? 0,
    uniqueVisitors: uniqueVisitors.get(of) ?? 0,
  }));
}

interface Buckets {
  readonly rollUp: 'by_day' | 'by_hour';
  /** SQL of the start of a hit's bucket. */
  readonly start: string;
  readonly hitByHit: boolean;
  /** Moment of a start; both are Unix times in milliseconds. */
  momentOf(startMs: number): number;
}

/** Start of a bucket for a day. */
const START_OF: Readonly<Record<Exclude<Interval, 'hour'>, (day: string) => string>> = {
  day: (day) => day,
  week: (day) => `toStartOfWeek(${day}, 1)`,
  month: (day) => `toStartOfMonth(${day})`,
};

/** The roll-up has days of UTC. Days of other zones are made of hours. */
function bucketsOf({ isUtc, zone, hitByHit, slot, ...zoned }: ZonedTime, interval: Interval): Buckets {
  const asIs = (startMs: number) => startMs;
  if (interval === 'hour') {
    return { rollUp: 'by_hour', start: zoned.hourStart(slot), hitByHit, momentOf: asIs };
  }
  const startOf = START_OF[interval];
  if (isUtc) return { rollUp: 'by_day', start: startOf(DAY), hitByHit: false, momentOf: asIs };
  const start = startOf(`toDate(${zoned.local(slot)}, 'UTC')`);
  return { rollUp: 'by_hour', start, hitByHit, momentOf: zone.momentOf };
}

function summaryOf(timeSeries: readonly Point[]): Static<typeof SummarySchema> {
  const totalHits = sumOfHits(timeSeries);
  const peakHits = timeSeries.reduce((most, { hits }) => Math.max(most, hits), 0);
  const peak = timeSeries.find(({ hits }) => hits === peakHits);
  return {
    totalHits,
    peakHits,
    peakTimestamp: peak === undefined || peakHits === 0 ? null : peak.timestamp,
    avgHits: average(totalHits, timeSeries.length),
  };
}
