import { type Static, type TProperties, Type } from 'typebox';
import { ALL_HITS, type HitWhere } from '../hit-filters.js';

/** Condition on single hits beside the filters of all questions; without it all hits are selected. */
export const HIT_CONDITIONS = {
  isBot: Type.Optional(Type.Boolean({ description: 'Only hits of bots (`true`) or of others (`false`).' })),
};

/**
 * The question adds nothing to `meta`. Typed widely, because with optional parameters the compiler looks into the
 * members.
 */
export const NO_META: TProperties = {};

const ConditionsSchema = Type.Object(HIT_CONDITIONS);
export type HitConditions = Static<typeof ConditionsSchema>;

/** The condition as SQL. */
export function hitWhere({ isBot }: HitConditions): HitWhere {
  if (isBot === undefined) return ALL_HITS;
  return { sql: 'is_bot = {isBot:UInt8}', params: { isBot: Number(isBot) }, columns: ['is_bot'] };
}
