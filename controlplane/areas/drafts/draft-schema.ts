import { type Static, Type } from 'typebox';
import { BrokenExamplesSchema } from '../../errors/examples-broken.js';
import { MOMENT } from '../../http/documented-formats.js';
import { idInPath, nullable, time } from '../../http/schema-parts.js';
import { NewTableSchema, TableReplacedSchema, TestedPathsSchema, TestPathsSchema } from '../paths/public.js';
import { MAX_DATE_LENGTH, type PatchRedirect, PatchRedirectSchema } from '../redirects/public.js';
import { RuleTestAnswerSchema, RuleTestSchema, WholeRuleSchema } from '../rules/public.js';

/** Maximum rules of a draft. The limit of bytes allows few more. */
const MAX_RULES = 10_000;

const RULES = `All rules, as \`POST /redirects/{id}/rules\` takes them. A rule with \`id\` stays the rule that it is and keeps its hits; one without is new; rules of the redirect that are not in the list are deleted. Rules are ordered by \`priority\`; one without it follows the rule before it in the list.`;
const PATHS = 'All paths, and the options that change, as `PUT /redirects/{id}/paths` takes them.';
const REDIRECT = 'Settings, as `PATCH /redirects/{id}` takes them.';

/** Members of a draft that a client may send back unchanged. */
const readOnly = Object.fromEntries(
  [
    'redirectId',
    'currentVersion',
    'publishAt',
    'lastError',
    'errors',
    'brokenExamples',
    'diagnostics',
    'createdAt',
    'updatedAt',
    'updatedBy',
  ].map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
);

const EXAMPLE = {
  redirect: { toDomain: 'https://shop.example.com/spring' },
  rules: [
    {
      name: 'German phones',
      type: 'force',
      conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
      action: { type: 'redirect', url: 'https://m.shop.example.com/de' },
      status: 'active',
    },
  ],
  paths: { options: { unmatched: 'gone' }, entries: [] },
};

export const PutDraftSchema = Type.Object(
  {
    redirect: Type.Optional(Type.Unsafe<PatchRedirect>({ ...PatchRedirectSchema, description: REDIRECT })),
    rules: Type.Optional(
      Type.Array(WholeRuleSchema, {
        maxItems: MAX_RULES,
        accepts: `a list of at most ${MAX_RULES} rules`,
        description: RULES,
      }),
    ),
    paths: Type.Optional(
      Type.Unsafe<Static<typeof NewTableSchema>>({ ...NewTableSchema, description: PATHS }),
    ),
    baseVersion: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Version of the redirect that the draft was made from. Default: that of the draft before; without one, the current version.',
      }),
    ),
    ...readOnly,
  },
  { title: 'NewDraft', additionalProperties: false, examples: [EXAMPLE] },
);

const ErrorSchema = Type.Object({
  code: Type.String(),
  message: Type.String(),
  field: Type.Optional(Type.String({ description: 'Path in the draft: `rules.3.action.url`.' })),
});

export const DraftSchema = Type.Object(
  {
    redirectId: Type.String(),
    redirect: Type.Optional(
      Type.Unsafe<PatchRedirect>({ type: 'object', additionalProperties: true, description: REDIRECT }),
    ),
    rules: Type.Optional(Type.Array(WholeRuleSchema, { description: 'All rules.' })),
    paths: Type.Optional(NewTableSchema),
    baseVersion: Type.Integer({ description: 'Version of the redirect that the draft was made from.' }),
    currentVersion: Type.Integer({ description: 'Version of the redirect now.' }),
    publishAt: nullable(time, 'Time of publication; `null` if none is planned.'),
    lastError: nullable(
      Type.Object({ ...ErrorSchema.properties, at: time }, { title: 'DraftFailure' }),
      'Why the last publication at a time failed.',
    ),
    errors: Type.Array(ErrorSchema, {
      description: 'Why the draft would be refused if it were published now. Empty if it would be accepted.',
    }),
    brokenExamples: BrokenExamplesSchema,
    diagnostics: TableReplacedSchema.properties.diagnostics,
    createdAt: time,
    updatedAt: time,
    updatedBy: Type.Object({
      userId: Type.String(),
      email: nullable(Type.String(), 'E-mail address at that time.'),
      tokenId: nullable(Type.String(), 'Id of the access token or session.'),
    }),
  },
  { title: 'Draft' },
);
export type DraftRecord = Static<typeof DraftSchema>;

export const PublishDraftSchema = Type.Object(
  {
    at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: MAX_DATE_LENGTH,
        documented: MOMENT,
        examples: ['2030-01-31T08:00:00Z'],
        accepts: 'a timestamp such as 2026-01-31T08:00:00Z in the next year, or null',
        description: 'Time of publication, at most a year ahead. Default: now.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const DraftOutdatedSchema = Type.Object(
  {
    error: Type.Object({ message: Type.String(), code: Type.String(), field: Type.Optional(Type.String()) }),
    baseVersion: Type.Optional(Type.Integer()),
    currentVersion: Type.Optional(Type.Integer()),
    changes: Type.Optional(
      nullable(
        Type.Array(
          Type.Object(
            {
              path: Type.String({ examples: ['redirect.toDomain'] }),
              before: Type.Unknown({ examples: ['https://shop.example.com'] }),
              after: Type.Unknown({ examples: ['https://shop.example.com/winter'] }),
            },
            { title: 'ChangeSinceDraft' },
          ),
        ),
        'Changes since the draft was made, at most 50. `GET /redirects/{id}/versions/{currentVersion}/diff?against={baseVersion}` lists all. `null` if the base version is no longer kept.',
      ),
    ),
  },
  { title: 'DraftOutdated' },
);

export const TestDraftSchema = Type.Object(
  {
    ...Type.Partial(Type.Object(RuleTestSchema.properties)).properties,
    urls: Type.Optional(TestPathsSchema.properties.urls),
  },
  {
    additionalProperties: false,
    documented: { anyOf: [{ required: ['userAttributes'] }, { required: ['urls'] }] },
    examples: [{ userAttributes: { country: 'DE' }, urls: ['https://old.example/old/a'] }],
  },
);

const ruleId = nullable(Type.Integer(), '`null` for a rule that is new.');
const { result, explanation, ...visitorAnswer } = RuleTestAnswerSchema.properties;
const [ResultSchema] = result.anyOf;

export const TestedDraftSchema = Type.Object({
  result: Type.Optional(
    nullable(
      Type.Object({ ...ResultSchema.properties, ruleId }, { title: 'DraftTestResult' }),
      'Result for `userAttributes`. `null` if no active rule matches.',
    ),
  ),
  ...Type.Partial(Type.Object(visitorAnswer)).properties,
  explanation: Type.Optional(
    Type.Array(Type.Object({ ...explanation.items.properties, ruleId }, { title: 'ExplainedDraftRule' }), {
      description: 'All rules in order of priority; only with `explain`.',
    }),
  ),
  results: Type.Optional(TestedPathsSchema.properties.results),
});

export const VersionParamSchema = Type.Object({
  id: idInPath,
  n: Type.String({
    pattern: '^[1-9]\\d{0,9}$',
    accepts: 'a whole number from 1 on',
    description: 'Number of the version.',
    examples: ['3'],
  }),
});
