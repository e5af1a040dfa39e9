import { type Static, Type } from 'typebox';
import { MOMENT } from '../../http/documented-formats.js';
import { nullable } from '../../http/schema-parts.js';
import { MAX_GOAL_LENGTH, MAX_GOAL_NAME_LENGTH } from './goal.js';

export const MAX_CONVERSIONS_AT_ONCE = 10_000;
export const DEFAULT_VISIT_WINDOW_DAYS = 7;
export const DEFAULT_EFFECT_PERCENT = 10;
const MAX_ID_LENGTH = 200;
const MAX_VALUE = 1e12;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const interval = (description: string) =>
  Type.Unsafe<[number, number]>({
    type: 'array',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
    description,
    examples: [[0.08, 0.12]],
  });
const time = (description: string) => Type.String({ format: 'date-time', description });

export const ExperimentParamsSchema = Type.Object({
  ruleId: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Rule with the action `ab_test`, or a `percentage_redirect` below 100 %.',
  }),
});

export const ResultsQuerySchema = Type.Object(
  {
    goal: Type.Optional(
      Type.String({
        maxLength: MAX_GOAL_LENGTH,
        examples: ['visit:shop.example.com/thanks*'],
        description:
          'Goal that counts as a conversion: the name of a goal of posted conversions, or `visit:HOST/PATH` for a visit of the same visitor to another path or redirect of yours (a final `*` stands for any rest). Default: posted conversions of any goal.',
      }),
    ),
    start: Type.Optional(
      Type.String({
        documented: MOMENT,
        description:
          'A date (YYYY-MM-DD) or an ISO 8601 timestamp, UTC unless it says its offset; inclusive. Default: the day (UTC) on which the rule was created.',
      }),
    ),
    end: Type.Optional(
      Type.String({
        documented: MOMENT,
        description: 'As `start`; a date alone is the whole day. Default: now. May be in the future.',
      }),
    ),
    windowDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: `Days after the first visit in which a conversion counts. Default: ${DEFAULT_VISIT_WINDOW_DAYS} for visits, none for posted conversions. Conversions after \`end\` never count.`,
      }),
    ),
    effectPercent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: DEFAULT_EFFECT_PERCENT,
        description: 'Effect that `neededVisitors` is for, in percent of the rate of the baseline.',
      }),
    ),
    includeBots: Type.Optional(
      Type.Boolean({
        description: 'Whether bots count as visitors. Default: false. `bots` shows them in any case.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ResultsQuery = Static<typeof ResultsQuerySchema>;

const VariantSchema = Type.Object(
  {
    name: Type.String({
      examples: ['A'],
      description: 'Name of the variant; `in` or `out` of a percentage.',
    }),
    weight: Type.Number({ description: 'Share of the visitors in percent, as the rule says.' }),
    visitors: count('Distinct visitors who were sent to this variant first.'),
    mixed: count('Visitors among these who got another variant later.'),
    conversions: count('Visitors among these with at least one conversion.'),
    rate: probability('`conversions` of `visitors`; 0 without visitors.'),
    interval: interval('95 % interval of `rate` (Wilson), for one look.'),
    lift: nullable(
      Type.Number({ description: 'Change against the rate of the baseline: 0.1 is 10 % more.' }),
    ),
    liftInterval: nullable(
      interval(
        '95 % confidence sequence of `lift`: valid however often somebody looks. null while there is too little data. An approximation: it can contain 0 though `pValue` finds a difference, and the reverse. `differenceInterval` cannot.',
      ),
    ),
    difference: nullable(Type.Number({ description: 'Rate minus the rate of the baseline.' })),
    differenceInterval: nullable(
      interval(
        '95 % confidence sequence of `difference`. It excludes 0 exactly if `pValue` is below 0.05 divided by the number of variants other than the baseline.',
      ),
    ),
    pValue: nullable(probability('Sequential p-value against the baseline, for this variant alone.')),
    probabilityBest: probability('Probability to have the highest rate of all variants.'),
    revenue: nullable(
      Type.Object(
        {
          total: Type.Number({ description: 'Sum of the values of all counted conversions.' }),
          perVisitor: Type.Number({ description: 'Mean; visitors without a value count as 0.' }),
          interval: nullable(
            interval(
              '95 % confidence sequence of `perVisitor`: valid however often somebody looks. null while there is too little data, which is longer where few visitors bring most of the revenue.',
            ),
          ),
          difference: nullable(Type.Number({ description: '`perVisitor` minus that of the baseline.' })),
          differenceInterval: nullable(
            interval(
              'Confidence sequence of `difference`, 95 % for all variants together. null while there is too little data.',
            ),
          ),
        },
        { title: 'ExperimentRevenue', description: 'null unless values were posted.' },
      ),
    ),
  },
  { title: 'ExperimentVariant' },
);

const result = {
  variants: Type.Array(VariantSchema, { description: 'The baseline first.' }),
  baseline: Type.String({
    examples: ['A'],
    description: 'Variant that the others are compared with: the first; `out` of a percentage.',
  }),
  visitors: count('Distinct visitors of all variants.'),
  mixed: count(
    'Visitors who were sent to more than one variant. Each counts once, for the variant of the first visit.',
  ),
  pValue: probability(
    'Smallest sequential p-value, corrected for the number of variants. It stays valid however often somebody looks. 1 while there is too little data.',
  ),
  sampleRatio: Type.Object(
    {
      ok: Type.Boolean({ description: 'Whether visitors are shared as the weights say.' }),
      pValue: probability('Sequential; below 0.001 is an alarm.'),
    },
    { title: 'ExperimentSampleRatio' },
  ),
  neededVisitors: nullable(
    count(
      'Visitors of all variants with which an effect of `effectPercent` is found with a probability of 80 %. null while it cannot be known.',
    ),
  ),
  verdict: Type.String({
    description:
      '`not enough data yet`, `NAME is better`, `no difference found`, or `sample ratio mismatch: …` with likely causes.',
    examples: ['not enough data yet'],
  }),
  explanation: Type.String({
    examples: ['The rule redirected no recorded visitor in this period.'],
    description: 'Reason of the verdict, in sentences.',
  }),
};
const ResultSchema = Type.Object(result);
export type Result = Static<typeof ResultSchema>;

export const ResultsSchema = Type.Object(
  {
    ...result,
    goal: Type.Union([Type.String(), Type.Null()], {
      examples: ['purchase'],
      description: 'As asked; null for posted conversions of any goal.',
    }),
    goals: Type.Array(
      Type.Object({
        goal: Type.String({ examples: ['purchase'] }),
        conversions: count('Posted, whether they count here or not.'),
      }),
      {
        description: 'Goals of posted conversions, the most frequent first; up to 100.',
      },
    ),
    segments: Type.Array(
      Type.Object(
        {
          start: time('First moment.'),
          end: time('Last moment.'),
          ...result,
        },
        { title: 'ExperimentSegment' },
      ),
      {
        description:
          'Parts of the period between changes of variants, weights or destinations, oldest first; empty if there was none. The members beside this one are about the last part. A visitor belongs to the part of the first visit.',
      },
    ),
    bots: Type.Array(
      Type.Object({
        variant: Type.String({ examples: ['A'] }),
        hits: count('Hits of bots.'),
        visitors: count('Distinct bots.'),
      }),
      { description: 'Bots by variant, in the whole period.' },
    ),
    meta: Type.Object(
      {
        ruleId: Type.Integer(),
        redirectId: Type.String(),
        period: Type.Object({ start: time('First moment.'), end: time('Last moment.') }),
        windowDays: nullable(Type.Integer()),
        effectPercent: Type.Integer(),
        bots: Type.Enum(['included', 'excluded']),
        changedAt: nullable(time('Last change of variants, weights or destinations in the period.')),
        unassigned: count(
          'Visitors left out: a variant that the rule did not have then, or a time before it was an experiment.',
        ),
        sampling: Type.Object({
          rate: Type.Number({ description: 'Lowest sampling rate of the counted hits.' }),
          recordedHits: count('Hits of the rule in the period, with those of bots.'),
          estimatedTotalHits: count('Estimate of all visits.'),
          note: nullable(
            Type.String({
              examples: ['Visits were sampled.'],
              description: 'Effect of sampling on this result.',
            }),
          ),
        }),
      },
      { title: 'ExperimentMeta' },
    ),
  },
  { title: 'ExperimentResults' },
);
export type Results = Static<typeof ResultsSchema>;

const ConversionSchema = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH,
      description: 'Your id of the conversion. Each id counts once for an experiment.',
    }),
    visitorId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: '`visitorId` of a hit of this rule.' }),
    ),
    clickId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Value of the query parameter that `clickIdParam` of the redirect names.',
      }),
    ),
    goal: Type.String({
      minLength: 1,
      maxLength: MAX_GOAL_NAME_LENGTH,
      examples: ['purchase'],
      description: 'Name of the goal; it must not begin with `visit:`.',
    }),
    at: Type.Optional(
      Type.String({
        maxLength: 40,
        documented: MOMENT,
        examples: ['2026-01-31T08:00:00Z'],
        description: 'Time of the conversion, ISO 8601, not in the future. Default: now.',
      }),
    ),
    value: Type.Optional(
      Type.Number({
        minimum: -MAX_VALUE,
        maximum: MAX_VALUE,
        description: 'Revenue, in a unit of your choice.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Conversion' },
);
export type PostedConversion = Static<typeof ConversionSchema>;

export const ConversionsSchema = Type.Object(
  {
    conversions: Type.Array(ConversionSchema, { minItems: 1, maxItems: MAX_CONVERSIONS_AT_ONCE }),
  },
  {
    additionalProperties: false,
    examples: [
      { conversions: [{ id: 'order-1041', visitorId: '4be1c0a2f3d49e57', goal: 'purchase', value: 49.9 }] },
    ],
  },
);

export const ConversionsAnswerSchema = Type.Object(
  {
    accepted: count('Stored now.'),
    duplicates: count('Known ids; nothing changed.'),
    unknown: count(
      'Visitors or clicks that this rule has no recorded visit of. Not stored: they can be sent again.',
    ),
  },
  { title: 'ConversionsAnswer' },
);
export type ConversionsAnswer = Static<typeof ConversionsAnswerSchema>;
