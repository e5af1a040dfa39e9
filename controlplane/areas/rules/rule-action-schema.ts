import { Type } from 'typebox';
import { DEFAULT_STICKY } from '../../../shared/rules/choice/sticky.js';
import { DRAWN_STATUS_CODE, REDIRECT_STATUS_CODES } from '../../../shared/rules/redirect-status.js';
import type { RuleAction, Sticky } from '../../../shared/rules/rule-definition.js';
import { HTTP_URL } from '../../http/documented-formats.js';
import { MAX_DESTINATION_LENGTH } from '../domains/public.js';
import type { RuleType } from './rule.js';

const MIN_VARIANTS = 2;
const MAX_VARIANTS = 10;
const MAX_VARIANT_NAME_LENGTH = 100;

/** The action that belongs to each type of rule. */
export const ACTION_OF_TYPE = {
  force: 'redirect',
  percentage: 'percentage_redirect',
  ab_experiment: 'ab_test',
} as const satisfies Record<RuleType, RuleAction['type']>;

const statusCodeOf = (fallback: string) =>
  Type.Optional(
    Type.Enum([...REDIRECT_STATUS_CODES], {
      description: `Status of the answer. Default: ${fallback}.`,
    }),
  );

const switches = {
  pathForwarding: Type.Optional(Type.Boolean({ description: 'Default: the setting of the redirect.' })),
  queryForwarding: Type.Optional(Type.Boolean({ description: 'Default: the setting of the redirect.' })),
};

const target = {
  url: Type.String({
    maxLength: MAX_DESTINATION_LENGTH,
    documented: HTTP_URL,
    accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
    description: 'Absolute destination URL. `{host.1}` as in `toDomain`.',
  }),
  ...switches,
};

const percentage = Type.Number({ exclusiveMinimum: 0, maximum: 100, accepts: 'a number over 0, up to 100' });

const stickyOf = (fallback: Sticky) =>
  Type.Optional(
    Type.Enum(['cookie', 'visitor', 'none'], {
      description: `Memory of a visitor's result. \`cookie\`: for 30 days. \`visitor\`: by a keyed hash of address and user agent. Default: \`${fallback}\`.`,
    }),
  );

const exact = { additionalProperties: false } as const;

const ForceActionSchema = Type.Object(
  { type: Type.Literal('redirect'), ...target, statusCode: statusCodeOf('that of the redirect') },
  { title: 'RedirectAction', ...exact },
);

const PercentageActionSchema = Type.Object(
  {
    type: Type.Literal('percentage_redirect'),
    ...target,
    percentage,
    statusCode: statusCodeOf(`${DRAWN_STATUS_CODE}`),
    sticky: stickyOf(DEFAULT_STICKY.percentage_redirect),
  },
  { title: 'PercentageAction', ...exact },
);

const variantName = Type.String({ minLength: 1, maxLength: MAX_VARIANT_NAME_LENGTH });
const VariantSchema = Type.Object(
  { name: variantName, percentage, ...target, statusCode: statusCodeOf('that of the action') },
  { title: 'Variant', ...exact },
);
const AbTestActionSchema = Type.Object(
  {
    type: Type.Literal('ab_test'),
    variants: Type.Array(VariantSchema, {
      minItems: MIN_VARIANTS,
      maxItems: MAX_VARIANTS,
      accepts: `a list of ${MIN_VARIANTS} to ${MAX_VARIANTS} variants`,
      description:
        'Variants with distinct names and percentages that sum to 100. Missing switches and statuses come from the action.',
    }),
    ...switches,
    statusCode: statusCodeOf(`${DRAWN_STATUS_CODE}`),
    sticky: stickyOf(DEFAULT_STICKY.ab_test),
  },
  { title: 'AbTestAction', ...exact },
);

const ACTION_SCHEMAS = [ForceActionSchema, PercentageActionSchema, AbTestActionSchema];

/** Names of the members of an action, by its type. */
export const ACTION_MEMBERS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  ACTION_SCHEMAS.map(({ properties }) => [properties.type.const, new Set(Object.keys(properties))]),
);

/** An action in requests and answers. Its `type` selects the schema that reports errors. */
export const RuleActionSchema = Type.Unsafe<RuleAction>({
  title: 'RuleAction',
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: ACTION_SCHEMAS,
  description:
    'Fits the type of the rule: `redirect` for `force`, `percentage_redirect` for `percentage`, `ab_test` for `ab_experiment`. The answer shows it as it was sent.',
});
