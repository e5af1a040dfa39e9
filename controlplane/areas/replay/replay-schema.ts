import { type Static, Type } from 'typebox';
import { MOMENT } from '../../http/documented-formats.js';
import { pageOf, paging, time } from '../../http/schema-parts.js';
import { NewTableSchema } from '../paths/public.js';
import { MAX_DATE_LENGTH, PatchRedirectSchema } from '../redirects/public.js';
import { CreateRuleSchema } from '../rules/public.js';
import { GAP_REASONS, type GapReason } from './gap.js';

const REPLAY_STATES = ['queued', 'running', 'finished', 'failed', 'canceled'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

const REPLAY_SOURCES = ['stored_draft', 'draft', 'version'] as const;
export type ReplaySourceName = (typeof REPLAY_SOURCES)[number];

/** Visits that are judged unless the caller raises the limit. */
export const DEFAULT_SAMPLE = 10_000_000;
const MAX_SAMPLE = 100_000_000;
const MAX_RULES = 1_000;
const MAX_HIT_ID_LENGTH = 100;

const nullable = <Value>(schema: object) => Type.Unsafe<Value | null>(schema);
const count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
const moment = (description: string) =>
  Type.String({
    maxLength: MAX_DATE_LENGTH,
    documented: MOMENT,
    accepts: 'a date such as 2026-01-31 or a timestamp such as 2026-01-31T08:00:00Z',
    description,
    examples: ['2026-01-31'],
  });

const DraftRuleSchema = Type.Object(
  {
    id: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Rule of the redirect that this one replaces, with its draws and cookies.',
      }),
    ),
    ...CreateRuleSchema.properties,
  },
  { additionalProperties: false },
);
export type DraftRule = Static<typeof DraftRuleSchema>;

const DraftSchema = Type.Object(
  {
    redirect: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        ...PatchRedirectSchema,
        description: 'Settings to change, as in `PATCH /redirects/{id}`.',
      }),
    ),
    rules: Type.Optional(
      Type.Array(DraftRuleSchema, {
        maxItems: MAX_RULES,
        accepts: `a list of at most ${MAX_RULES} rules`,
        description:
          'All rules, first in priority first. `status` is `active` by default. Default: those of the redirect.',
      }),
    ),
    paths: Type.Optional(
      Type.Unsafe<Static<typeof NewTableSchema>>({
        ...NewTableSchema,
        description: 'Table of paths, as in `PUT /redirects/{id}/paths`. Default: that of the redirect.',
      }),
    ),
  },
  { title: 'ReplayDraft', additionalProperties: false },
);
export type Draft = Static<typeof DraftSchema>;

export const NewReplaySchema = Type.Object(
  {
    draft: Type.Optional(
      Type.Unsafe<Draft | boolean>({
        ...DraftSchema,
        type: ['object', 'boolean'],
        accepts: 'true or an object with redirect, rules and paths',
        description:
          '`true`: the stored draft. Otherwise a definition, of which parts may be left out. Without `draft` and `version`: the definition in force.',
      }),
    ),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'A version of the redirect. Not together with `draft`.' }),
    ),
    start: moment('Start of the period, included (UTC).'),
    end: moment('End of the period, included; a date alone is the whole day (UTC).'),
    sample: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SAMPLE,
        description: `Maximum visits to judge (default ${DEFAULT_SAMPLE}). Beyond it a random sample is judged, and shares have an interval.`,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ draft: true, start: '2026-01-01', end: '2026-01-31' }],
  },
);
export type NewReplay = Static<typeof NewReplaySchema>;

const ruleId = nullable<number>({
  type: ['integer', 'null'],
  description: 'Rule that decides. Rules of the draft without an id have negative ones: -1 is the first.',
});
const variant = nullable<string>({ type: ['string', 'null'] });
const destination = nullable<string>({
  type: ['string', 'null'],
  description: 'As hits record it; null where `isRest` is true.',
});
const statusCode = Type.Integer();

const AnswerSchema = Type.Object({ ruleId, variant, destination, statusCode }, { title: 'ReplayedAnswer' });

const share = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Share of the replayed visits by weight (1 / sampling rate).',
});
const ExampleSchema = Type.Object({
  path: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
  country: nullable<string>({ type: ['string', 'null'] }),
  deviceType: nullable<string>({ type: ['string', 'null'] }),
});

export const ReplayResultSchema = Type.Object({
  visits: Type.Object({
    total: count('Recorded visits of the period, those of bots included.'),
    estimatedTotal: count('Recorded visits by the weight of their sampling rate.'),
    replayed: count('Visits that were looked at: all, or the sample.'),
    unchanged: count(),
    changed: count('Visits with another rule, variant, destination or status.'),
    unjudged: count('Visits decided by a fact that hits do not hold.'),
    otherDestination: count('Changed visits with the same rule and variant.'),
    otherRule: count('Changed visits with another rule, or none.'),
    otherVariant: count('Changed visits with another variant.'),
    newLoops: count('Visits that would be sent to the URL that they asked for (508).'),
  }),
  changes: Type.Array(
    Type.Object({
      from: AnswerSchema,
      to: AnswerSchema,
      visits: count(),
      estimatedVisits: Type.Optional(count('Visits of the period, recorded or not.')),
      share,
      interval: Type.Optional(
        Type.Array(Type.Number(), {
          minItems: 2,
          maxItems: 2,
          description: '95 % interval of the share, of a sample.',
        }),
      ),
      isRest: Type.Boolean({ description: 'true: all further destinations of these rules together.' }),
      examples: Type.Array(ExampleSchema),
    }),
    { description: 'Most visits first.' },
  ),
  unjudged: Type.Array(
    Type.Object({
      attribute: Type.String({
        description: 'Attribute of conditions, or `draw`, `cookie`, `visitor`, `host` or `request`.',
      }),
      reason: Type.Enum([...GAP_REASONS] as GapReason[]),
      visits: count(),
      share,
    }),
  ),
  rules: Type.Array(
    Type.Object({
      ruleId: Type.Integer(),
      name: Type.String(),
      before: count('Replayed visits that it decided then.'),
      after: count('Judged visits that it would decide.'),
      state: Type.Enum(['decides', 'shadowed', 'matches_nothing', 'unknown', 'removed'], {
        description:
          '`shadowed`: visits match it, and earlier rules decide them all (tried on up to 20,000 groups). `unknown`: it decides no judged visit, and some are unjudged.',
      }),
    }),
  ),
  versions: Type.Array(
    Type.Object({
      version: nullable<number>({
        type: ['integer', 'null'],
        minimum: 1,
        description: 'Version that answered; null where that is not known.',
      }),
      visits: count(),
    }),
    {
      description:
        'Recorded visits of the period by the version of the redirect that answered them, newest first. Several: the period goes across a change.',
    },
  ),
  startsAtVersion: nullable<number>({
    type: ['integer', 'null'],
    minimum: 1,
    description:
      'Version that was made within a minute of the start of the period; null without one. Visits right after the start may have been answered by the version before.',
  }),
  loop: Type.Array(Type.String(), {
    description: 'Hosts of a loop that it would close.',
  }),
});
export type ReplayResult = Static<typeof ReplayResultSchema>;

const EXAMPLE = {
  id: 'rp_7hGk2PqLm4Zt',
  redirectId: 'rd_3kf9',
  state: 'finished',
  progress: 1,
  start: '2026-01-01T00:00:00.000Z',
  end: '2026-01-31T23:59:59.999Z',
  spec: { source: 'stored_draft', version: 7, sample: 10_000_000, draft: true },
  visits: {
    total: 1000,
    estimatedTotal: 1000,
    replayed: 1000,
    unchanged: 880,
    changed: 120,
    unjudged: 0,
    otherDestination: 0,
    otherRule: 120,
    otherVariant: 0,
    newLoops: 0,
  },
  changes: [
    {
      from: { ruleId: null, variant: null, destination: 'https://shop.example.com/', statusCode: 301 },
      to: { ruleId: -1, variant: null, destination: 'https://shop.example.com/de', statusCode: 301 },
      visits: 120,
      share: 0.12,
      isRest: false,
      examples: [{ path: '/', timestamp: '2026-01-03T10:20:30.400Z', country: 'DE', deviceType: 'mobile' }],
    },
  ],
  unjudged: [],
  rules: [{ ruleId: -1, name: 'German phones', before: 0, after: 120, state: 'decides' }],
  versions: [{ version: 7, visits: 1000 }],
  startsAtVersion: null,
  loop: [],
  error: null,
  createdAt: '2026-02-01T08:00:00.000Z',
  startedAt: '2026-02-01T08:00:00.500Z',
  finishedAt: '2026-02-01T08:00:01.200Z',
};

const replayError = nullable<{ code: string; message: string; field?: string }>({
  type: ['object', 'null'],
  properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } },
  required: ['code', 'message'],
  description: 'Reason of a failure.',
});
const nullableTime = nullable<string>({ type: ['string', 'null'], format: 'date-time' });

/** Members of a replay that lists show too. */
const head = {
  id: Type.String(),
  redirectId: Type.String(),
  state: Type.Enum([...REPLAY_STATES] as ReplayState[]),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  start: time,
  end: time,
};
const version = nullable<number>({
  type: ['integer', 'null'],
  description: 'Version, or that below the draft.',
});
/** Members of `spec` that lists show too. */
const specHead = {
  source: Type.Enum([...REPLAY_SOURCES] as ReplaySourceName[], {
    description: 'Origin of the definition: the stored draft, a draft in the request, or a version.',
  }),
  version,
  sample: count('Maximum visits to judge.'),
};
const times = { createdAt: time, startedAt: nullableTime, finishedAt: nullableTime };

export const ReplaySchema = Type.Object(
  {
    ...head,
    spec: Type.Object({
      ...specHead,
      draft: Type.Unsafe<Draft | true | null>({ description: '`true` was the stored draft.' }),
    }),
    ...ReplayResultSchema.properties,
    error: replayError,
    ...times,
  },
  { title: 'Replay', examples: [EXAMPLE] },
);
export type ReplayRecord = Static<typeof ReplaySchema>;

const ListedReplaySchema = Type.Object(
  {
    ...head,
    spec: Type.Object(specHead),
    visits: ReplayResultSchema.properties.visits,
    error: replayError,
    ...times,
    draft: nullable<'stored' | 'given'>({
      type: ['string', 'null'],
      enum: ['stored', 'given', null],
      deprecated: true,
      description: 'Replaced by `spec.source`. null for a version.',
    }),
    version: nullable<number>({
      type: ['integer', 'null'],
      deprecated: true,
      description: 'Replaced by `spec.version`.',
    }),
    sample: Type.Integer({ minimum: 0, deprecated: true, description: 'Replaced by `spec.sample`.' }),
  },
  { title: 'ListedReplay' },
);
export type ListedReplayRecord = Static<typeof ListedReplaySchema>;

export const ReplayPageSchema = pageOf(ListedReplaySchema);
export const ReplayListQuerySchema = Type.Object(paging);

export const ExplainSchema = Type.Object(
  {
    hitId: Type.String({
      minLength: 3,
      maxLength: MAX_HIT_ID_LENGTH,
      description: 'Id of a hit, as `GET /analytics/redirect/{id}/hits` shows it.',
    }),
  },
  { additionalProperties: false, examples: [{ hitId: 'k3v9x0q2m5b7n1zz-41' }] },
);

const verdict = nullable<boolean>({
  type: ['boolean', 'null'],
  description: 'null: what the hit does not hold decides.',
});
const GapSchema = Type.Object({
  attribute: Type.String(),
  reason: Type.Enum([...GAP_REASONS] as GapReason[]),
});

export const ExplanationSchema = Type.Object(
  {
    hitId: Type.String(),
    timestamp: Type.String({ format: 'date-time' }),
    rulesetVersion: Type.String({ description: 'Version of the ruleset that answered.' }),
    version: nullable<number>({
      type: ['integer', 'null'],
      minimum: 1,
      description: 'Version of the redirect that answered; null when it is not known.',
    }),
    explainedVersion: Type.Integer({
      minimum: 1,
      description: 'Version that is evaluated: the current one if the other is not known.',
    }),
    received: AnswerSchema,
    definitionChanged: Type.Boolean({
      description: 'The redirect was changed since, or may have been.',
    }),
    outcome: Type.Enum(['reproduced', 'differs', 'unknown'], {
      description:
        '`reproduced`: the version gives this answer again. `differs`: it gives `answer`. `unknown`: `notRecorded` decides.',
    }),
    answer: Type.Unsafe<Static<typeof AnswerSchema> | null>({ anyOf: [AnswerSchema, { type: 'null' }] }),
    rules: Type.Array(
      Type.Object({
        ruleId: Type.Integer(),
        ruleName: Type.String(),
        matched: verdict,
        decided: Type.Boolean({ description: 'true for the first rule that matches.' }),
        isLive: Type.Boolean({ description: 'false: its dates did not include the visit.' }),
        conditions: Type.Array(
          Type.Object({
            index: Type.Integer({ minimum: 0 }),
            attribute: Type.String(),
            operator: Type.String(),
            param: Type.Optional(Type.String()),
            value: Type.Unsafe<string | number | (string | number)[] | null>({}),
            actual: Type.Unsafe<string | number | string[] | null>({
              description: 'Recorded value of the attribute; the network of an address.',
            }),
            matched: verdict,
          }),
        ),
      }),
      { description: 'Active rules in their order, up to the one that decides.' },
    ),
    choice: Type.Unsafe<{
      sticky: string;
      draw: number | null;
      bucket: [number, number] | null;
      remembered: boolean | null;
      variant: string | null;
    } | null>({
      type: ['object', 'null'],
      properties: {
        sticky: { type: 'string', enum: ['cookie', 'visitor', 'none'] },
        draw: {
          type: ['number', 'null'],
          description: 'Number from 0 to 1.',
        },
        bucket: {
          type: ['array', 'null'],
          items: { type: 'number' },
          minItems: 2,
          maxItems: 2,
          description:
            'Range of draws that get the same outcome: from the first number on, below the second.',
        },
        remembered: {
          type: ['boolean', 'null'],
          description: 'Whether a cookie decided.',
        },
        variant: { type: ['string', 'null'] },
      },
      required: ['sticky', 'draw', 'bucket', 'remembered', 'variant'],
      description: 'Choice of a percentage or an A/B test.',
    }),
    entry: Type.Unsafe<{ id: number; source: string | null } | null>({
      type: ['object', 'null'],
      properties: { id: { type: 'integer' }, source: { type: ['string', 'null'] } },
      required: ['id', 'source'],
      description: 'Entry of paths that decided.',
    }),
    notRecorded: Type.Array(GapSchema),
  },
  {
    title: 'HitExplanation',
    examples: [
      {
        hitId: 'k3v9x0q2m5b7n1zz-41',
        timestamp: '2026-01-03T10:20:30.400Z',
        rulesetVersion: '1700000000.42',
        version: 7,
        explainedVersion: 7,
        received: {
          ruleId: 12,
          variant: 'new',
          destination: 'https://shop.example.com/new',
          statusCode: 302,
        },
        definitionChanged: false,
        outcome: 'reproduced',
        answer: { ruleId: 12, variant: 'new', destination: 'https://shop.example.com/new', statusCode: 302 },
        rules: [
          {
            ruleId: 12,
            ruleName: 'New landing page',
            matched: true,
            decided: true,
            isLive: true,
            conditions: [
              {
                index: 0,
                attribute: 'country',
                operator: 'equals',
                value: 'DE',
                actual: 'DE',
                matched: true,
              },
            ],
          },
        ],
        choice: { sticky: 'cookie', draw: 0.62, bucket: [0.5, 1], remembered: false, variant: 'new' },
        entry: null,
        notRecorded: [],
      },
    ],
  },
);
export type Explanation = Static<typeof ExplanationSchema>;
