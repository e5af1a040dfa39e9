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
  value: Type.String({ description: 'As a condition takes it.' }),
  label: Type.String({ description: 'For people.' }),
};
const count = Type.Integer({ minimum: 1, description: 'Recorded hits that have it.' });

const AvailableValueSchema = Type.Object(
  {
    ...value,
    source: Type.Enum(['predefined', 'analytics'], {
      description: '`analytics`: recorded hits have it. `predefined`: a usual value that none has.',
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
      description: 'How values are compared: `version` is segment by segment as numbers.',
    }),
    operators: Type.Array(operator),
    category: Type.Enum(categories),
    predefinedValues: Type.Optional(
      Type.Array(Type.Object(value), { description: 'Usual values; all there are where they are few.' }),
    ),
    availableValues: Type.Optional(
      Type.Array(AvailableValueSchema, {
        description:
          'Values to choose from: those of recorded hits of the redirect, the most frequent first, then the usual ones.',
      }),
    ),
    requiresParam: Type.Optional(
      Type.Boolean({ description: 'A condition has to name the query parameter as `param`.' }),
    ),
    acceptsTimezone: Type.Optional(
      Type.Boolean({ description: 'A condition may name a time zone as `timezone`; UTC without.' }),
    ),
  },
  { title: 'RuleAttribute' },
);

const CategorySchema = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    icon: Type.String({ description: 'An emoji.' }),
    iconName: Type.String({ description: 'Name of an icon of the Lucide set.' }),
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
      description: '`single`: one value. `array`: 1 to 1,000. `range`: exactly 2. `none`: no value.',
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
    { description: 'By category.' },
  ),
  operators: Type.Array(OperatorSchema),
});

export const AttributeListQuerySchema = Type.Object({
  redirectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH,
      description: 'Puts what visitors of this redirect had first in `availableValues`.',
    }),
  ),
});

export const AttributeValuesParamsSchema = Type.Object({
  redirectId: Type.String({ minLength: 1, maxLength: MAX_ID_LENGTH }),
  attribute: Type.String({ description: 'One of the keys of `GET /rules/attributes`.' }),
});

export const AttributeValuesQuerySchema = Type.Object({
  param: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_PARAM_LENGTH,
      description: `For \`query_param\`, which has no values without it: the parameter, case-sensitive. Its values are those of the newest ${MAX_HITS_WITH_QUERY} recorded hits that have a query, of today and the 90 days before. \`stats/query-params\` lists the names.`,
    }),
  ),
});
export type AttributeValuesQuery = Static<typeof AttributeValuesQuerySchema>;

export const AttributeValuesSchema = Type.Object({
  attribute,
  values: Type.Array(AvailableValueSchema, {
    description: 'Those of recorded hits first, the most frequent before others.',
  }),
});

export type AttributeValue = Static<typeof AttributeValuesSchema>['values'][number];
export type AttributeRecord = Static<typeof AttributeSchema>;
export type AttributeList = Static<typeof AttributeListSchema>;
