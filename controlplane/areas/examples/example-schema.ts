import { type Static, Type } from 'typebox';
import { HTTP_URL, MOMENT } from '../../http/documented-formats.js';
import { nullable } from '../../http/schema-parts.js';
import { PutDraftSchema } from '../drafts/public.js';
import { MAX_DATE_LENGTH } from '../redirects/public.js';
import { UserAttributesSchema } from '../rules/public.js';

export const MAX_EXAMPLES = 1_000;
const MAX_NAME_LENGTH = 200;
/** Maximum length of a URL or a header, as in real requests. */
const MAX_TEXT_LENGTH = 8_192;
const MAX_VISITOR_ID_LENGTH = 256;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'] as const;
/** Parts of the visitor that the URL, the headers and the time do not give. */
const ATTRIBUTES = [
  'country',
  'region',
  'city',
  'device_type',
  'device_brand',
  'device_model',
  'browser_name',
  'browser_version',
  'os_name',
  'os_version',
  'ip_address',
] as const;

const header = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH, description, examples: [example] }));
const LOCATION = 'https://m.shop.example.com/de/shoes';

const HeadersSchema = Type.Object(
  {
    'accept-language': header('Languages of the visitor. Rules see the first choice.', 'de-AT, en;q=0.5'),
    cookie: header('Cookies. Choices are remembered in cookies with the name `wm_{ruleId}`.', 'wm_17=1x2y3z'),
    referer: header('URL of the referring page.', 'https://search.example.com/'),
    'user-agent': header('Source of device, browser and operating system.', 'curl/8.5.0'),
  },
  { additionalProperties: false, description: 'Headers that decisions read, with names in lower case.' },
);

const RequestSchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: MAX_TEXT_LENGTH,
      documented: HTTP_URL,
      description: 'URL with the host of the redirect. It is read as browsers do.',
    }),
    method: Type.Optional(Type.Enum([...METHODS], { description: 'Default: `GET`.' })),
    headers: Type.Optional(HeadersSchema),
    userAttributes: Type.Optional(
      Type.Object(Type.Pick(UserAttributesSchema, ATTRIBUTES).properties, {
        additionalProperties: false,
        description: 'Place and device of the visitor, as in the test of rules.',
      }),
    ),
    at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: MAX_DATE_LENGTH,
        documented: MOMENT,
        examples: ['2026-01-31T08:00:00Z'],
        accepts: 'a timestamp such as 2026-01-31T08:00:00Z, a date, or null',
        description: 'Time of the visit. Default: the time of the check.',
      }),
    ),
    visitorId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_VISITOR_ID_LENGTH,
        description:
          'Makes the choices of percentages and A/B tests repeatable, as in the test of rules. Without it and without a cookie, each possible choice is tried, and one must meet the expectation.',
      }),
    ),
  },
  { title: 'ExampleRequest', additionalProperties: false },
);

const ExpectationSchema = Type.Object(
  {
    statusCode: Type.Optional(Type.Integer({ minimum: 300, maximum: 599 })),
    location: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TEXT_LENGTH,
        description: 'The whole `Location`, byte by byte, without the id of `clickIdParam`.',
        examples: [LOCATION],
      }),
    ),
    ruleName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: 'Name of the rule that decides.',
      }),
    ),
    noMatch: Type.Optional(
      Type.Literal(true, {
        accepts: 'true, or be left out',
        description: 'No rule and no path matches.',
      }),
    ),
  },
  {
    title: 'ExampleExpectation',
    additionalProperties: false,
    minProperties: 1,
    accepts: 'an object with at least one of statusCode, location, ruleName and noMatch',
    description: 'At least one member. All of them must hold for the same answer.',
  },
);

const ExampleSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'Unique among the examples of the redirect.',
    }),
    request: RequestSchema,
    expect: ExpectationSchema,
  },
  { title: 'Example', additionalProperties: false },
);

export type Example = Static<typeof ExampleSchema>;
export type ExampleRequest = Static<typeof RequestSchema>;
export type Expectation = Static<typeof ExpectationSchema>;

const EXAMPLES: Example[] = [
  {
    name: 'Germans on a phone',
    request: {
      url: 'https://old.example.com/shoes?size=42',
      userAttributes: { country: 'DE', device_type: 'mobile' },
      at: '2026-01-31T08:00:00Z',
    },
    expect: { statusCode: 302, location: LOCATION, ruleName: 'German phones' },
  },
];

export const PutExamplesSchema = Type.Object(
  {
    examples: Type.Array(ExampleSchema, {
      maxItems: MAX_EXAMPLES,
      accepts: `a list of at most ${MAX_EXAMPLES} examples`,
    }),
  },
  { title: 'NewExamples', additionalProperties: false, examples: [{ examples: EXAMPLES }] },
);

export const ExampleListSchema = Type.Object({ data: Type.Array(ExampleSchema) });

const { redirect, rules, paths } = PutDraftSchema.properties;
const DraftSchema = Type.Object(
  { redirect, rules, paths },
  { title: 'ExampleDraft', additionalProperties: false },
);
export type ExampleDraft = Static<typeof DraftSchema>;

export const RunExamplesSchema = Type.Object(
  {
    draft: Type.Optional(
      Type.Unsafe<ExampleDraft | boolean>({
        ...DraftSchema,
        type: ['object', 'boolean'],
        accepts: 'true or an object with redirect, rules and paths',
        description:
          '`true`: the stored draft of the redirect. Otherwise a draft as `PUT /redirects/{id}/draft` takes it. Default: the redirect as it is.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ draft: true }] },
);

const REASONS = [
  'rule',
  'path',
  'destination',
  'not_found',
  'gone',
  'disabled',
  'not_started',
  'ended',
  'https',
  'method',
  'too_long',
] as const;
export type AnswerReason = (typeof REASONS)[number];

const AnswerSchema = Type.Object(
  {
    statusCode: Type.Integer({ description: '508: the redirect leads to the requested URL.' }),
    location: nullable(Type.String({ examples: [LOCATION] }), 'The `Location`; `null` without one.'),
    reason: Type.Enum([...REASONS], {
      description:
        'Decided by a `rule`, a `path`, or the option `unmatched` of the paths (`destination`, `not_found`, `gone`). Without paths it is `destination`. `disabled`, `not_started`, `ended`: the state of the redirect. `https`: `httpsMode`. `method`: the method is not allowed. `too_long`: the request is too long for the rules.',
    }),
    ruleId: nullable(Type.Integer(), 'Rule that matches. `null` also for a new rule of a draft.'),
    ruleName: nullable(Type.String(), 'Its name.'),
    variant: nullable(Type.String(), 'Variant of an A/B test.'),
    source: nullable(Type.String(), 'Source of the path that decides.'),
  },
  { title: 'ExampleAnswer' },
);
export type AnswerRecord = Static<typeof AnswerSchema>;

const ResultSchema = Type.Object(
  {
    name: Type.String(),
    status: Type.Enum(['passed', 'failed']),
    received: Type.Array(AnswerSchema, {
      description:
        'Answers that such a visitor can get: more than one if a percentage or an A/B test decides.',
    }),
    message: nullable(Type.String(), 'Expected and received answer, and why. `null` if the example passes.'),
  },
  { title: 'ExampleResult' },
);

export const ExamplesRunSchema = Type.Object({
  summary: Type.Object({ total: Type.Integer(), passed: Type.Integer(), failed: Type.Integer() }),
  results: Type.Array(ResultSchema, { description: 'One result per example, in their order.' }),
});
export type ExamplesRun = Static<typeof ExamplesRunSchema>;
