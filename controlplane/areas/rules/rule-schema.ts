import { type Static, Type } from 'typebox';
import { ATTRIBUTES, type Attribute, OPERATORS, type Operator } from '../../../shared/rules/attributes.js';
import type { ConditionLogic, RuleCondition } from '../../../shared/rules/rule-definition.js';
import { MOMENT } from '../../http/documented-formats.js';
import { idInPath, nullable, time } from '../../http/schema-parts.js';
import { MAX_DATE_LENGTH } from '../redirects/public.js';
import type { RuleMetadata, RuleStatus, RuleType } from './rule.js';
import { ACTION_OF_TYPE, RuleActionSchema } from './rule-action-schema.js';

export const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_CONDITIONS = 1_000;
export const MAX_PRIORITY = 1_000_000;
const MAX_METADATA_MEMBERS = 50;
const MAX_METADATA_KEY_LENGTH = 100;
const MAX_METADATA_TEXT_LENGTH = 1_000;

const attribute = Type.Enum(Object.keys(ATTRIBUTES) as Attribute[], { title: 'Attribute' });
const operator = Type.Enum([...OPERATORS] as Operator[], {
  title: 'Operator',
  description: 'Operator of a condition. `GET /rules/attributes` lists those of each attribute.',
});
const param = Type.Optional(
  Type.String({
    description:
      'Name of the query parameter, case-sensitive. Required with `query_param`, and not accepted otherwise.',
  }),
);

const timezone = Type.Optional(
  Type.String({
    description:
      'IANA time zone for `hour_of_day` or `day_of_week`, including daylight saving time. Default: UTC. Other attributes do not take it.',
    examples: ['Europe/Berlin'],
  }),
);

// Valid values depend on attribute and operator. The parser of conditions explains faults better than a schema.
const NewConditionSchema = Type.Object(
  {
    attribute,
    operator,
    value: Type.Optional(
      Type.Unknown({
        description:
          'A string or a number. `in` and `not_in` take 1 to 1,000 values, `between` takes 2. `ip_range` takes `10.0.0.0/8`, `10.0.0.1-10.0.0.9` or 2 addresses. `exists` and `not_exists` ignore it.',
        examples: ['DE', ['DE', 'AT', 'CH'], [9, 17]],
      }),
    ),
    param,
    timezone,
  },
  { title: 'NewRuleCondition', additionalProperties: false },
);

const scalar = { type: ['string', 'number'] };
// `array` comes first: the serializer of answers would convert an array to a string.
const conditionValue = { type: ['array', 'string', 'number'], items: scalar };
const ConditionSchema = Type.Object(
  {
    attribute,
    operator,
    value: Type.Optional(Type.Unsafe<RuleCondition['value']>(conditionValue)),
    param,
    timezone,
  },
  { title: 'RuleCondition' },
);

const MetadataSchema = Type.Unsafe<RuleMetadata>({
  title: 'RuleMetadata',
  type: 'object',
  maxProperties: MAX_METADATA_MEMBERS,
  propertyNames: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_METADATA_KEY_LENGTH,
    accepts: `an object whose keys have 1 to ${MAX_METADATA_KEY_LENGTH} characters`,
  },
  additionalProperties: {
    type: ['string', 'number', 'boolean'],
    maxLength: MAX_METADATA_TEXT_LENGTH,
    accepts: `a string of at most ${MAX_METADATA_TEXT_LENGTH} characters, a number, true or false`,
  },
  accepts: `an object of at most ${MAX_METADATA_MEMBERS} members`,
  description: 'Your own data: strings, numbers and booleans by name.',
});

const newDate = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: MAX_DATE_LENGTH,
    documented: MOMENT,
    accepts: 'a timestamp such as 2026-01-31T08:00:00Z, a date such as 2026-01-31, or null',
    description,
  });

const common = {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  description: Type.String({ maxLength: MAX_DESCRIPTION_LENGTH }),
  type: Type.Enum(['force', 'percentage', 'ab_experiment'] as RuleType[]),
  conditionLogic: Type.Enum(['AND', 'OR'] as ConditionLogic[], {
    description: '`AND`: all conditions must match. `OR`: at least one must match.',
  }),
  priority: Type.Integer({
    minimum: 0,
    maximum: MAX_PRIORITY,
    description:
      'Order of evaluation, the lowest number first. A rule with the priority of another one is inserted before it.',
  }),
  status: Type.Enum(['active', 'inactive', 'draft'] as RuleStatus[], {
    description: 'Only active rules are evaluated.',
  }),
  metadata: MetadataSchema,
};

const settings = {
  ...common,
  description: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: MAX_DESCRIPTION_LENGTH,
    accepts: `a string of at most ${MAX_DESCRIPTION_LENGTH} characters, or null`,
    description: '`null` is stored as an empty string.',
  }),
  conditions: Type.Array(NewConditionSchema, {
    maxItems: MAX_CONDITIONS,
    accepts: `a list of at most ${MAX_CONDITIONS} conditions`,
    description: 'An empty list matches every visitor.',
  }),
  action: RuleActionSchema,
  startDate: newDate('First moment (inclusive). A date alone means 00:00 UTC. `null` means no start.'),
  endDate: newDate('Last moment (inclusive). A date alone means the whole day (UTC). `null` means no end.'),
};

const { name, type, action, ...optionalSettings } = settings;

/** The action that each type of rule takes; code checks it. */
const pairs = Object.entries(ACTION_OF_TYPE).map(([ruleType, actionType]) => ({
  properties: {
    type: { const: ruleType },
    action: { properties: { type: { const: actionType } } },
  },
}));

export const CreateRuleSchema = Type.Object(
  { name, type, action, ...Type.Partial(Type.Object(optionalSettings)).properties },
  {
    documented: { anyOf: pairs },
    additionalProperties: false,
    examples: [
      {
        name: 'German phones',
        type: 'force',
        conditions: [
          { attribute: 'country', operator: 'in', value: ['DE', 'AT', 'CH'] },
          { attribute: 'device_type', operator: 'equals', value: 'mobile' },
        ],
        action: { type: 'redirect', url: 'https://m.shop.example.com/de' },
        status: 'active',
      },
      {
        name: 'New landing page',
        type: 'ab_experiment',
        action: {
          type: 'ab_test',
          variants: [
            { name: 'current', percentage: 50, url: 'https://shop.example.com/' },
            { name: 'new', percentage: 50, url: 'https://shop.example.com/welcome' },
          ],
        },
        status: 'draft',
      },
    ],
  },
);

/** Members that a client may send back unchanged. They have no effect. */
const readOnly = Object.fromEntries(
  ['id', 'redirectId', 'hitCount', 'createdBy', 'createdAt', 'updatedAt'].map((member) => [
    member,
    Type.Optional(Type.Unknown()),
  ]),
);

export const UpdateRuleSchema = Type.Object(
  { ...Type.Partial(Type.Object(settings)).properties, ...readOnly },
  {
    additionalProperties: false,
    description: 'Members without a type here are read-only and ignored.',
    examples: [{ name: 'German-speaking phones', endDate: '2030-12-31' }],
  },
);

/** A rule in a list of all rules of a redirect. */
export const WholeRuleSchema = Type.Object(
  {
    id: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The rule that it was before, which keeps its hits. Without it: a new rule.',
      }),
    ),
    ...CreateRuleSchema.properties,
    ...Object.fromEntries(Object.entries(readOnly).filter(([member]) => member !== 'id')),
  },
  { title: 'WholeRule', additionalProperties: false },
);

const orNull = (schema: object) => Type.Optional(Type.Unsafe({ anyOf: [schema, { type: 'null' }] }));
const {
  name: _name,
  type: _type,
  priority: _priority,
  action: _action,
  metadata: _metadata,
  ...replaced
} = settings;

/** The members after the patch are checked as those of `UpdateRuleSchema`. */
export const PatchRuleSchema = Type.Object(
  {
    name: Type.Optional(name),
    type: Type.Optional(type),
    priority: Type.Optional(settings.priority),
    ...Object.fromEntries(Object.entries(replaced).map(([member, schema]) => [member, orNull(schema)])),
    action: orNull({ type: 'object', description: 'Members are merged. Lists are replaced.' }),
    metadata: orNull({ type: 'object', description: 'Members are merged. `null` removes a member.' }),
    ...readOnly,
  },
  {
    additionalProperties: false,
    description:
      'JSON Merge Patch (RFC 7396). `null` sets the default. Members without a type here are read-only and ignored.',
    examples: [{ action: { url: 'https://m.shop.example.com/at' }, endDate: null }],
  },
);

export const RuleStatusSchema = Type.Object({ status: common.status }, { examples: [{ status: 'active' }] });

export const ReorderRulesSchema = Type.Object(
  {
    ruleIds: Type.Array(Type.Integer(), {
      accepts: 'a list of rule ids',
      description: 'Ids of all rules of the redirect, each once. The first one gets the highest priority.',
    }),
  },
  { additionalProperties: false, examples: [{ ruleIds: [2, 1] }] },
);

export const RuleSchema = Type.Object(
  {
    id: Type.Integer(),
    redirectId: Type.String(),
    ...common,
    conditions: Type.Array(ConditionSchema),
    action: RuleActionSchema,
    startDate: nullable(time),
    endDate: nullable(time),
    hitCount: Type.Integer({ description: 'Matches in real traffic, independent of the sampling rate.' }),
    createdBy: Type.String({ description: 'Id of the user who created it.' }),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Rule' },
);

export const RuleListSchema = Type.Object({ rules: Type.Array(RuleSchema) });
export const RuleAnswerSchema = Type.Object({ rule: RuleSchema });
export const RuleCreatedSchema = Type.Object({ message: Type.String(), rule: RuleSchema });
export const RulesReorderedSchema = Type.Object({ message: Type.String(), rules: Type.Array(RuleSchema) });

export const RuleIdParamSchema = Type.Object({ ruleId: idInPath });
export const RedirectIdParamSchema = Type.Object({ redirectId: idInPath });

export type CreateRule = Static<typeof CreateRuleSchema>;
export type UpdateRule = Static<typeof UpdateRuleSchema>;
export type RuleRecord = Static<typeof RuleSchema>;
