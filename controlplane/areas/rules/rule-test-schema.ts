import { type Static, Type } from 'typebox';
import {
  ATTRIBUTES,
  type Attribute,
  OPERATORS,
  SINGLE_TEXTS,
  type SingleTextAttribute,
} from '../../../shared/rules/attributes.js';
import { REDIRECT_STATUS_CODES } from '../../../shared/rules/redirect-status.js';
import { ATTRIBUTE_TEXTS, type Category } from './attribute-catalogue.js';

/** Answers of data planes other than a redirect to the requested URL. */
export const LOOP_STATUS_CODE = 508;

/** Maximum length of a header or path, as in real requests. */
const MAX_TEXT_LENGTH = 8192;
const MAX_QUERY_PARAMS = 1000;
const MAX_VISITOR_ID_LENGTH = 256;

const text = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH, description }));

const visitorId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_VISITOR_ID_LENGTH,
    description:
      'Makes the test repeatable. The same id always gets the same result of percentages and A/B tests.',
  }),
);

const QueryParamsSchema = Type.Unsafe<Readonly<Record<string, string | readonly string[]>>>({
  type: 'object',
  maxProperties: MAX_QUERY_PARAMS,
  accepts: `an object of at most ${MAX_QUERY_PARAMS} query parameters`,
  description: 'Decoded values by name. A parameter that occurs several times has an array.',
  additionalProperties: {
    // The order matters: a serializer that tried strings first would join the values.
    type: ['array', 'string'],
    maxLength: MAX_TEXT_LENGTH,
    maxItems: MAX_QUERY_PARAMS,
    accepts: `a string of at most ${MAX_TEXT_LENGTH} characters or an array of at most ${MAX_QUERY_PARAMS} strings`,
    items: { type: 'string', maxLength: MAX_TEXT_LENGTH },
  },
});

/** Source of a text that the request does not contain. */
const DERIVED_FROM: Readonly<Partial<Record<Category, 'ip_address' | 'user_agent'>>> = {
  geography: 'ip_address',
  device: 'user_agent',
  browser: 'user_agent',
  system: 'user_agent',
};

function descriptionOf(attribute: SingleTextAttribute): string {
  const { description, category } = ATTRIBUTE_TEXTS[attribute];
  const source = DERIVED_FROM[category];
  return source === undefined ? `${description}.` : `${description}. Default: from \`${source}\`.`;
}

const TEXTS = Object.fromEntries(
  SINGLE_TEXTS.map((attribute) => [attribute, text(descriptionOf(attribute))]),
) as Readonly<Record<SingleTextAttribute, ReturnType<typeof text>>>;

export const UserAttributesSchema = Type.Object(
  {
    ...TEXTS,
    referrer: text('URL of the referring page.'),
    referrer_domain: text(
      'Host or domain of the referrer. It is normalized like a real referrer: case, `www.` and a final dot are ignored, and parent domains match. Default: from `referrer`.',
    ),
    hour_of_day: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 23,
        description: 'Default: the current hour in the `timezone` of each condition, or in UTC.',
      }),
    ),
    day_of_week: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 6,
        description: '0 is Sunday. Default: the current day in the `timezone` of each condition, or in UTC.',
      }),
    ),
    language: text('Preferred language tag, such as `de-AT`, or a whole `Accept-Language` header.'),
    url_path: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT_LENGTH,
        pattern: '^/[^?]*$',
        accepts: `a path of at most ${MAX_TEXT_LENGTH} characters that begins with / and has no ?; send the query as query_params`,
        description: 'Path of the request. Default: `/`.',
      }),
    ),
    query_params: Type.Optional(QueryParamsSchema),
    user_agent: text('`User-Agent` header.'),
    ip_address: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT_LENGTH,
        documented: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
        description: 'IPv4 or IPv6 address.',
      }),
    ),
    visitorId,
  },
  {
    title: 'UserAttributes',
    additionalProperties: false,
    description: 'Attributes of the visitor. An empty text means unknown.',
  },
);

export const RuleTestSchema = Type.Object(
  {
    userAttributes: UserAttributesSchema,
    visitorId,
    explain: Type.Optional(Type.Boolean({ description: 'Adds the decision of each rule.' })),
  },
  {
    additionalProperties: false,
    examples: [{ userAttributes: { country: 'DE', device_type: 'mobile', url_path: '/' }, explain: true }],
  },
);

const ResultSchema = Type.Object(
  {
    url: Type.String({ description: 'Destination of the visitor, including forwarding.' }),
    statusCode: Type.Enum([...REDIRECT_STATUS_CODES, LOOP_STATUS_CODE], {
      description: `Status of the answer. It is ${LOOP_STATUS_CODE} if \`url\` is the requested URL.`,
    }),
    ruleId: Type.Integer(),
    ruleName: Type.String(),
    actionType: Type.Enum(['redirect', 'percentage_redirect', 'ab_test']),
    percentage: Type.Optional(Type.Number({ description: 'Configured percentage of a percentage rule.' })),
    variant: Type.Optional(Type.String({ description: 'Name of the variant of an A/B test.' })),
    triggered: Type.Boolean({
      description:
        'Whether the rule redirects. False for a visitor outside the percentage, whose `url` is the destination of the redirect.',
    }),
    userAttributes: UserAttributesSchema,
    message: Type.String(),
  },
  { title: 'RuleTestResult' },
);

const ExplainedRuleSchema = Type.Object(
  {
    ruleId: Type.Integer(),
    ruleName: Type.String(),
    outcome: Type.Enum(
      ['matched', 'not_matched', 'not_started', 'ended', 'not_reached', 'inactive', 'draft'],
      {
        description: '`not_reached`: an earlier rule decided. `inactive` and `draft`: not evaluated.',
      },
    ),
    conditions: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Index of the condition in the rule.' }),
        attribute: Type.Enum(Object.keys(ATTRIBUTES) as Attribute[], { title: 'Attribute' }),
        operator: Type.Enum([...OPERATORS], { title: 'Operator' }),
        param: Type.Optional(Type.String()),
        timezone: Type.Optional(Type.String()),
        matched: Type.Boolean(),
      }),
      { description: 'The evaluated conditions, in order.' },
    ),
    decidedBy: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Index of the condition that decided the match. Null if none did.',
    }),
  },
  { title: 'ExplainedRule' },
);

export const RuleTestAnswerSchema = Type.Object({
  result: Type.Union([ResultSchema, Type.Null()], { description: 'Null if no active rule matches.' }),
  userAttributes: UserAttributesSchema,
  message: Type.String(),
  explanation: Type.Optional(
    Type.Array(ExplainedRuleSchema, { description: 'All rules by priority. Present only with `explain`.' }),
  ),
});

export type UserAttributes = Static<typeof UserAttributesSchema>;
export type RuleTestRequest = Static<typeof RuleTestSchema>;
export type RuleTestAnswer = Static<typeof RuleTestAnswerSchema>;
export type RuleTestResult = Static<typeof ResultSchema>;
export type ExplainedRule = Static<typeof ExplainedRuleSchema>;
