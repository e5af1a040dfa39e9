import { type Static, Type } from 'typebox';
import { INTERVALS } from './intervals.js';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const RedirectParams = Type.Object({
  redirectId: Type.String({ minLength: 1, description: 'The redirect that the statistics are about.' }),
});

const moment = 'A date (YYYY-MM-DD) or an ISO 8601 timestamp, UTC unless it says otherwise; inclusive.';

export const StatsQuerySchema = Type.Object({
  start: Type.Optional(
    Type.String({ description: `${moment} Default: midnight (UTC) 29 days before the day of \`end\`.` }),
  ),
  end: Type.Optional(
    Type.String({
      description: `${moment} A date alone is the whole day. Default: now. May be in the future.`,
    }),
  ),
  includeBots: Type.Boolean({ default: false, description: 'Counts bots among the unique visitors too.' }),
});

export const TimeStatsQuerySchema = Type.Object({
  ...StatsQuerySchema.properties,
  interval: Type.Enum([...INTERVALS], {
    default: 'day',
    description: 'Length of a bucket. Weeks begin on Monday, everything is UTC.',
  }),
});

export const SamplingMetaSchema = Type.Object({
  rate: Type.Number({ description: 'Sampling rate of the redirect now.' }),
  recordedHits: count('Hits of the period that were recorded; what `data` is made of.'),
  estimatedTotalHits: count('Estimate of all requests: each hit weighed with the sampling rate at its time.'),
});

export const DeliverySchema = Type.Object(
  {
    recorded: count('Hits that data planes chose to record.'),
    delivered: count('Of those, stored.'),
    duplicated: count('Stored more than once: the surplus.'),
    lost: count(
      'Recorded and not stored: given up when a buffer was full, or still on the way behind later ones.',
    ),
  },
  { description: 'How the hits of this redirect fared on their way, over all time and not just the period.' },
);

const metaProperties = {
  redirectId: Type.String(),
  period: Type.Object({ start: timestamp('First millisecond.'), end: timestamp('Last millisecond.') }),
  sampling: SamplingMetaSchema,
  delivery: DeliverySchema,
};
export const MetaSchema = Type.Object(metaProperties);

export const BasicStatsSchema = Type.Object({
  data: Type.Object({
    totalHits: count('`botHits` + `humanHits`.'),
    uniqueVisitors: count('Distinct visitors; without bots unless `includeBots`.'),
    botHits: count('Hits of known bots.'),
    humanHits: count('All other hits.'),
    avgHitsPerDay: Type.Number({
      description: '`totalHits` over the calendar days (UTC) that the period touches.',
    }),
    peakHits: count('Hits of the day (UTC) that had the most.'),
    peakDate: Type.Union([timestamp('Midnight (UTC) of that day, the earliest of equals.'), Type.Null()]),
    successRate: Type.Number({ description: 'Percentage of hits answered with 2xx or 3xx.' }),
  }),
  meta: MetaSchema,
});

export const TimeStatsSchema = Type.Object({
  data: Type.Object({
    timeSeries: Type.Array(
      Type.Object({
        timestamp: timestamp('Start of the bucket; the first may begin before the period does.'),
        hits: count('`botHits` + `humanHits`.'),
        uniqueVisitors: count('Distinct visitors; without bots unless `includeBots`.'),
        botHits: count('Hits of known bots.'),
        humanHits: count('All other hits.'),
      }),
      { description: 'Every bucket that the period touches, empty ones too.' },
    ),
    summary: Type.Object({
      totalHits: count('Sum over all buckets.'),
      peakHits: count('Hits of the bucket that had the most.'),
      peakTimestamp: Type.Union([timestamp('That bucket, the earliest of equals.'), Type.Null()]),
      avgHits: Type.Number({ description: '`totalHits` over the number of buckets.' }),
    }),
  }),
  meta: Type.Object({ ...metaProperties, interval: Type.Enum([...INTERVALS]) }),
});

export type SamplingMeta = Static<typeof SamplingMetaSchema>;
export type MetaBase = Static<typeof MetaSchema>;
export type BasicStats = Static<typeof BasicStatsSchema>;
export type TimeStats = Static<typeof TimeStatsSchema>;
