import { type Static, type TProperties, Type } from 'typebox';
import type { QueryParams } from '../../../storage/clickhouse/analytics-store.js';

/** Filter for hits of the period; without members it selects all. */
export const HIT_CONDITIONS = {
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'Only hits from this country (ISO 3166-1 alpha-2).',
      accepts: 'a country code of two capital letters',
    }),
  ),
  isBot: Type.Optional(Type.Boolean({ description: 'Only hits of bots (`true`) or of others (`false`).' })),
  statusCode: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'Only hits answered with this status.' }),
  ),
  ruleId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only hits that this rule decided.',
    }),
  ),
};

/** `meta` says nothing of its own. Typed widely: with optional parameters the compiler looks into the members. */
export const NO_META: TProperties = {};

const ConditionsSchema = Type.Object(HIT_CONDITIONS);
export type HitConditions = Static<typeof ConditionsSchema>;

const COLUMN_OF = {
  country: ['country', 'String'],
  isBot: ['is_bot', 'UInt8'],
  statusCode: ['status_code', 'UInt16'],
  ruleId: ['rule_id', 'UInt64'],
} as const satisfies Record<keyof HitConditions, readonly [column: string, type: string]>;

export interface HitWhere {
  /** Over columns of the hits; true when nothing is asked for. */
  readonly sql: string;
  readonly params: QueryParams;
  /** Columns that it needs. */
  readonly columns: readonly string[];
}

/** The conditions as SQL. */
export function hitWhere(conditions: HitConditions): HitWhere {
  const given = Object.entries(COLUMN_OF).flatMap(([name, [column, type]]) => {
    const value = conditions[name as keyof HitConditions];
    return value === undefined ? [] : [{ name, column, type, value }];
  });
  return {
    sql: given.map(({ name, column, type }) => `${column} = {${name}:${type}}`).join(' AND ') || '1',
    params: Object.fromEntries(given.map(({ name, value }) => [name, paramOf(value)])),
    columns: given.map(({ column }) => column),
  };
}

function paramOf(value: string | number | boolean): string | number {
  return typeof value === 'boolean' ? Number(value) : value;
}
