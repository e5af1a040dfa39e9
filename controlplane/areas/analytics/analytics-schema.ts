import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { MOMENT, TIME_ZONE } from '../../http/documented-formats.js';
import { HIT_FILTERS } from './hit-filters.js';
import { type BotsByDefault, SERIES_UNITS } from './question.js';

/** A number of hits, visitors or rows. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
export const timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const RedirectParams = Type.Object({
  redirectId: Type.String({ minLength: 1, description: 'Id of the redirect.' }),
});

const moment = 'Date (YYYY-MM-DD) or ISO 8601 timestamp, inclusive. Without an offset it is in `timezone`.';

const BOTS_BY_DEFAULT: Readonly<Record<BotsByDefault, string>> = {
  excluded: 'Default: false.',
  included: 'Default: true.',
  totals: 'Default: in totals only, not in lists and unique visitors.',
  always: 'It has no effect here.',
};

/** Parameters of every question. */
export const COMMON_QUERY = {
  start: Type.Optional(
    Type.String({
      documented: MOMENT,
      description: `${moment} Default: 29 days before the day of \`end\`.`,
    }),
  ),
  end: Type.Optional(
    Type.String({
      documented: MOMENT,
      description: `${moment} A date alone means the whole day. Default: now. It may be in the future.`,
    }),
  ),
  includeBots: includeBots('excluded'),
  timezone: Type.String({
    default: 'UTC',
    maxLength: 64,
    documented: TIME_ZONE,
    description:
      'IANA time zone of dates, days and hours, such as `Europe/Berlin`, with daylight saving time. Timestamps in answers are UTC.',
  }),
};

/** Returns the parameters of every question, with its treatment of bots. */
export function commonQuery(bots: BotsByDefault = 'excluded') {
  return { ...COMMON_QUERY, ...HIT_FILTERS, includeBots: includeBots(bots) };
}

function includeBots(bots: BotsByDefault) {
  const description = `Whether to count bots. ${BOTS_BY_DEFAULT[bots]}`;
  return Type.Optional(Type.Boolean({ description }));
}

export const MAX_LIST_ROWS = 1000;

/** Maximum number of rows of a list, for questions with this parameter. */
export const LimitSchema = Type.Integer({
  minimum: 1,
  maximum: MAX_LIST_ROWS,
  default: 100,
  description: 'Maximum rows. Rows with the most hits come first.',
});

const SamplingMetaSchema = Type.Object({
  rate: Type.Number({ description: 'Current sampling rate of the redirect.' }),
  recordedHits: count('Recorded hits of the period, including bots. Filters do not apply.'),
  estimatedTotalHits: count(
    'Estimate of all requests. Each hit is weighted by the sampling rate at its time.',
  ),
});

const DeliverySchema = Type.Object(
  {
    recorded: count('Hits that data planes chose to record.'),
    delivered: count('Recorded hits that are stored.'),
    duplicated: count('Surplus copies of stored hits.'),
    lost: count(
      'Recorded hits that are not stored: dropped from a full buffer, or still missing although later hits have arrived.',
    ),
  },
  {
    title: 'HitDelivery',
    description:
      'Delivery of the hits of this redirect, over all time. `lost` excludes what a killed data plane recorded since its last flush, at most 20 ms.',
  },
);

const RecordingSchema = Type.Object(
  {
    active: Type.Boolean(),
    reason: Type.Union([Type.Enum(['monthly_limit', 'sampling_zero']), Type.Null()], {
      description:
        '`monthly_limit`: the monthly events are used up. `sampling_zero`: the sampling rate is 0. Null: visits are recorded.',
    }),
  },
  { description: 'Whether visits of this redirect are recorded now. Redirecting does not depend on it.' },
);
export type Recording = Static<typeof RecordingSchema>;

const COMMON_META = {
  redirectId: Type.String(),
  period: Type.Object({
    start: timestamp('First millisecond of the period.'),
    end: timestamp('Last millisecond of the period.'),
  }),
  sampling: SamplingMetaSchema,
  delivery: DeliverySchema,
  recording: RecordingSchema,
  bots: Type.Enum(['included', 'excluded'], {
    description: 'Whether the totals (or lists, without totals) include bots.',
  }),
  timezone: Type.String({ description: 'Time zone of days and hours.' }),
  series: Type.Record(
    Type.String(),
    Type.Object({ unit: Type.Enum([...SERIES_UNITS]), timezone: Type.String() }),
    { description: 'Unit of the points of each series in the answer. Series have no gaps.' },
  ),
};
const MetaSchema = Type.Object(COMMON_META, { title: 'StatsMeta' });

/** `meta` of every answer. */
export type CommonMeta = Static<typeof MetaSchema>;

/** Returns the envelope of an answer. */
export function answerSchema(title: string, data: TSchema, meta: TProperties) {
  const isCommon = Object.keys(meta).length === 0;
  return Type.Object(
    {
      data,
      meta: isCommon ? MetaSchema : Type.Object({ ...COMMON_META, ...meta }, { title: `${title}Meta` }),
    },
    { title },
  );
}

/** `meta` of several answers: their common members, and those of each. */
export function severalMetaSchema(metas: Readonly<Record<string, TProperties>>) {
  const { bots, series, ...shared } = COMMON_META;
  const own = Object.entries(metas).map(
    ([name, meta]) => [name, Type.Optional(Type.Object({ bots, series, ...meta }))] as const,
  );
  return Type.Object({
    ...shared,
    statistics: Type.Object(Object.fromEntries(own), { description: 'Details of each statistic, by name.' }),
  });
}
