import { type Static, Type } from 'typebox';
import { ATTRIBUTES, type Attribute, OPERATORS, type Operator } from '../../../shared/rules/attributes.js';
import { MAX_HITS_WITH_QUERY } from '../analytics/public.js';
import { CATEGORIES, type Category } from './attribute-catalogue.js';
import { VALUE_TYPES } from './attribute-operators.js';

const MAX_ID_LENGTH = 128;
const MAX_PARAM_LENGTH = 2_048;

const categories = Object.keys(CATEGORIES) as Category[];
const attribute = Type.Enum(Object.keys(ATTRIBUTES) as Attribute[], { title: 'Attribute' });
const operator = Type.Enum([...OPERATORS] as Operator[], { title: 'Operator' });

const value = {
  value: Type.String({ description: 'The value to use in a condition.' }),
  label: Type.String({ description: 'Label for people.' }),
};
const count = Type.Integer({ minimum: 1, description: 'Number of recorded hits with this value.' });

const AvailableValueSchema = Type.Object(
  {
    ...value,
    source: Type.Enum(['predefined', 'analytics'], {
      description: '`analytics`: recorded hits have it. `predefined`: a common value without hits.',
    }),
    count: Type.Optional(count),
  },
  { title: 'AttributeValue' },
);

const AttributeSchema = Type.Object(
  {
    key: attribute,
    name: Type.String(),
    description: Type.String(),
    type: Type.Enum([...new Set(Object.values(ATTRIBUTES).map(({ type }) => type))], {
      description: 'Type of comparison. `version` compares segments as numbers.',
    }),
    operators: Type.Array(operator),
    category: Type.Enum(categories),
    predefinedValues: Type.Optional(
      Type.Array(Type.Object(value), { description: 'Common values, or all values if there are few.' }),
    ),
    availableValues: Type.Optional(
      Type.Array(AvailableValueSchema, {
        description: 'Values to choose from: recorded values, the most frequent first, then common values.',
      }),
    ),
    requiresParam: Type.Optional(
      Type.Boolean({ description: 'Whether a condition must name the query parameter in `param`.' }),
    ),
    acceptsTimezone: Type.Optional(
      Type.Boolean({ description: 'Whether a condition may name a `timezone`.' }),
    ),
  },
  { title: 'RuleAttribute' },
);

const CategorySchema = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    icon: Type.String({ description: 'Emoji of the category.' }),
    iconName: Type.String({ description: 'Name of a Lucide icon.' }),
    attributes: Type.Array(AttributeSchema),
  },
  { title: 'AttributeCategory' },
);

const OperatorSchema = Type.Object(
  {
    key: operator,
    name: Type.String(),
    description: Type.String(),
    valueType: Type.Enum([...VALUE_TYPES], {
      description:
        '`single`: one value. `array`: 1 to 1,000 values. `range`: exactly 2 values. `none`: no value.',
    }),
    symbol: Type.String(),
  },
  { title: 'RuleOperator' },
);

export const AttributeListSchema = Type.Object({
  attributes: Type.Object(
    Object.fromEntries(categories.map((key) => [key, CategorySchema])) as Record<
      Category,
      typeof CategorySchema
    >,
    { description: 'Attributes by category.' },
  ),
  operators: Type.Array(OperatorSchema),
});

export const AttributeListQuerySchema = Type.Object({
  redirectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH,
      description: 'Adds recorded values of this redirect to `availableValues`.',
    }),
  ),
});

export const AttributeValuesParamsSchema = Type.Object({
  redirectId: Type.String({ minLength: 1, maxLength: MAX_ID_LENGTH }),
  attribute: Type.String({ description: 'A key from `GET /rules/attributes`.' }),
});

export const AttributeValuesQuerySchema = Type.Object({
  param: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_PARAM_LENGTH,
      description: `Name of the parameter, required for values of \`query_param\`. They come from the newest ${MAX_HITS_WITH_QUERY} recorded hits with a query in the last 90 days. \`stats/query-params\` lists the names.`,
    }),
  ),
});
export type AttributeValuesQuery = Static<typeof AttributeValuesQuerySchema>;

export const AttributeValuesSchema = Type.Object({
  attribute,
  values: Type.Array(AvailableValueSchema, {
    description: 'Recorded values first, the most frequent first.',
  }),
});

export type AttributeValue = Static<typeof AttributeValuesSchema>['values'][number];
export type AttributeRecord = Static<typeof AttributeSchema>;
export type AttributeList = Static<typeof AttributeListSchema>;
