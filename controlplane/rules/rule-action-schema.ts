import { type Static, Type } from 'typebox';
import type { RuleAction, Sticky } from '../../shared/rules/rule-definition.js';
import { MAX_DESTINATION_LENGTH } from '../domains/destination-url.js';
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

/** How a choice is remembered unless the action says so. */
export const DEFAULT_STICKY = { percentage_redirect: 'none', ab_test: 'cookie' } as const satisfies Partial<
  Record<RuleAction['type'], Sticky>
>;

const target = {
  url: Type.String({
    maxLength: MAX_DESTINATION_LENGTH,
    accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
    description: 'Destination URL, with protocol.',
  }),
  pathForwarding: Type.Optional(Type.Boolean({ description: 'Default: the switch of the redirect.' })),
  queryForwarding: Type.Optional(Type.Boolean({ description: 'Default: the switch of the redirect.' })),
};

const percentage = Type.Number({ exclusiveMinimum: 0, maximum: 100, accepts: 'a number over 0, up to 100' });

const stickyOf = (fallback: Sticky) =>
  Type.Enum(['cookie', 'visitor', 'none'], {
    description: `How a visitor's choice is remembered: in a cookie for 30 days; by a keyed hash of address and user agent; not at all. Default: \`${fallback}\`.`,
  });

const exact = { additionalProperties: false } as const;

const ForceActionSchema = Type.Object({ type: Type.Literal('redirect'), ...target }, exact);

const percentageMembers = { type: Type.Literal('percentage_redirect'), ...target, percentage };
const percentageSticky = stickyOf(DEFAULT_STICKY.percentage_redirect);

const variantName = Type.String({ minLength: 1, maxLength: MAX_VARIANT_NAME_LENGTH });
const VariantSchema = Type.Object({ name: variantName, percentage, ...target }, exact);
const abTestMembers = {
  type: Type.Literal('ab_test'),
  variants: Type.Array(VariantSchema, {
    minItems: MIN_VARIANTS,
    maxItems: MAX_VARIANTS,
    accepts: `a list of ${MIN_VARIANTS} to ${MAX_VARIANTS} variants`,
    description: 'Their names are distinct, their percentages sum to 100.',
  }),
};
const abTestSticky = stickyOf(DEFAULT_STICKY.ab_test);

const ACTION_DESCRIPTION =
  'By the type of the rule: `force` takes `redirect`, `percentage` takes `percentage_redirect`, `ab_experiment` takes `ab_test`.';

/** One of several objects that `type` tells apart: its value decides which of them a fault is looked for in. */
function byType<T>(oneOf: readonly object[], description?: string) {
  return Type.Unsafe<T>({
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf,
    ...(description !== undefined && { description }),
  });
}

const NewPercentageActionSchema = Type.Object(
  { ...percentageMembers, sticky: Type.Optional(percentageSticky) },
  exact,
);
const NewAbTestActionSchema = Type.Object({ ...abTestMembers, sticky: Type.Optional(abTestSticky) }, exact);

/** An action as it is sent. */
export type NewRuleAction =
  | Static<typeof ForceActionSchema>
  | Static<typeof NewPercentageActionSchema>
  | Static<typeof NewAbTestActionSchema>;

export const NewRuleActionSchema = byType<NewRuleAction>(
  [ForceActionSchema, NewPercentageActionSchema, NewAbTestActionSchema],
  ACTION_DESCRIPTION,
);

/** An action as it is shown. */
export const RuleActionSchema = byType<RuleAction>([
  ForceActionSchema,
  Type.Object({ ...percentageMembers, sticky: percentageSticky }, exact),
  Type.Object({ ...abTestMembers, sticky: abTestSticky }, exact),
]);
