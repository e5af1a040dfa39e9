import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { MOMENT } from '../../http/documented-formats.js';
import { type BotsByDefault, SERIES_UNITS } from './question.js';

/** A number of hits, visitors or rows. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
export const timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const RedirectParams = Type.Object({
  redirectId: Type.String({ minLength: 1, description: 'The redirect that the statistics are about.' }),
});

const moment =
  'A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive.';

const BOTS_BY_DEFAULT: Readonly<Record<BotsByDefault, string>> = {
  excluded: 'Default: false, hits of bots are left out.',
  included: 'Default: true.',
  totals:
    'Default: hits of bots are in the totals, and not in lists and among unique visitors. `true`: they are everywhere, `false`: nowhere.',
  always: 'Without effect: the answer is about bots.',
};

/** Parameters of every question. */
export const COMMON_QUERY = {
  start: Type.Optional(
    Type.String({
      documented: MOMENT,
      description: `${moment} Default: midnight 29 days before the day of \`end\`.`,
    }),
  ),
  end: Type.Optional(
    Type.String({
      documented: MOMENT,
      description: `${moment} A date alone is the whole day. Default: now. May be in the future.`,
    }),
  ),
  includeBots: includeBots('excluded'),
  timezone: Type.String({
    default: 'UTC',
    maxLength: 64,
    documented: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
    description:
      'Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC.',
  }),
};

/** The parameters of every question, with what this one does with bots. */
export function commonQuery(bots: BotsByDefault = 'excluded') {
  return { ...COMMON_QUERY, includeBots: includeBots(bots) };
}

function includeBots(bots: BotsByDefault) {
  const description = `Whether hits of bots count. ${BOTS_BY_DEFAULT[bots]}`;
  return Type.Optional(Type.Boolean({ description }));
}

export const MAX_LIST_ROWS = 1000;

/** Rows of a list at most, for questions that let the caller say. */
export const LimitSchema = Type.Integer({
  minimum: 1,
  maximum: MAX_LIST_ROWS,
  default: 100,
  description: 'Rows at most, those with the most hits.',
});

const SamplingMetaSchema = Type.Object({
  rate: Type.Number({ description: 'Sampling rate of the redirect now.' }),
  recordedHits: count("Hits of the period that were recorded, bots' included."),
  estimatedTotalHits: count('Estimate of all requests: each hit weighed with the sampling rate at its time.'),
});

const DeliverySchema = Type.Object(
  {
    recorded: count('Hits that data planes chose to record.'),
    delivered: count('Of those, stored.'),
    duplicated: count('Stored more than once: the surplus.'),
    lost: count(
      'Recorded and not stored: given up when a buffer was full, or still on the way behind later ones.',
    ),
  },
  {
    title: 'HitDelivery',
    description:
      'How the hits of this redirect fared on their way, over all time and not just the period. What a data plane recorded since its last flush when it was killed is not in `lost`: it is known for that data plane as a whole only, but for the last 20 ms.',
  },
);

const RecordingSchema = Type.Object(
  {
    active: Type.Boolean(),
    reason: Type.Union([Type.Enum(['monthly_limit', 'sampling_zero']), Type.Null()], {
      description:
        '`monthly_limit`: the events of the month are used up. `sampling_zero`: the sampling rate is 0. null: visits are recorded.',
    }),
  },
  { description: 'Whether visits of this redirect are recorded now. Redirecting goes on either way.' },
);
export type Recording = Static<typeof RecordingSchema>;

const COMMON_META = {
  redirectId: Type.String(),
  period: Type.Object({ start: timestamp('First millisecond.'), end: timestamp('Last millisecond.') }),
  sampling: SamplingMetaSchema,
  delivery: DeliverySchema,
  recording: RecordingSchema,
  bots: Type.Enum(['included', 'excluded'], {
    description: 'Whether hits of bots are in the totals; in an answer without totals, in its lists.',
  }),
  timezone: Type.String({ description: 'Whose days and hours these are.' }),
  series: Type.Record(
    Type.String(),
    Type.Object({ unit: Type.Enum([...SERIES_UNITS]), timezone: Type.String() }),
    { description: 'What the points of each list stand for that is a series. Series have no gaps.' },
  ),
};
const MetaSchema = Type.Object(COMMON_META, { title: 'StatsMeta' });

/** `meta` of every answer. */
export type CommonMeta = Static<typeof MetaSchema>;

/** The envelope around what a question answers. */
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

/** `meta` of several answers: what they have in common, and what each says beside it. */
export function severalMetaSchema(metas: Readonly<Record<string, TProperties>>) {
  const { bots, series, ...shared } = COMMON_META;
  const own = Object.entries(metas).map(
    ([name, meta]) => [name, Type.Optional(Type.Object({ bots, series, ...meta }))] as const,
  );
  return Type.Object({
    ...shared,
    statistics: Type.Object(Object.fromEntries(own), { description: 'By name, as `data`.' }),
  });
}
