import { type Static, Type } from 'typebox';
import { ForceSchema } from '../../../http/forced-changes.js';

export const MAX_OPERATIONS = 10_000;
export const MAX_BULK_BYTES = 32 * 1024 * 1024;

export const BULK_MODES = ['best_effort', 'all_or_nothing'] as const;
export const OPERATIONS = ['create', 'update', 'delete'] as const;
const STATUSES = ['created', 'updated', 'deleted', 'unchanged', 'failed'] as const;

export const BulkQuerySchema = Type.Object({
  mode: Type.Optional(
    Type.Enum([...BULK_MODES], {
      description:
        '`all_or_nothing` (default): a failing row changes nothing. `best_effort`: other rows are applied.',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Changes nothing. The answer shows what would happen.' }),
  ),
  force: ForceSchema,
});

const NDJSON_EXAMPLE =
  '{"fromDomain":"old.example","toDomain":"https://new.example"}\n{"op":"delete","externalId":"crm-17"}\n';
const CSV_EXAMPLE = 'op,fromDomain,toDomain\ncreate,old.example,https://new.example\n';

/** Each operation is checked separately, so each refused one has its own result. */
export const BulkSchema = Type.Object(
  {
    operations: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      accepts: `a list of 1 to ${MAX_OPERATIONS} operations`,
      description:
        'An operation has `op` (default: `create`) and members of a redirect. `update` and `delete` find the redirect by `id`, otherwise by `externalId`, otherwise by `fromDomain`. Read-only members are ignored. `update` replaces objects such as `afterEnd` as a whole, and `null` sets the default.',
    }),
  },
  {
    additionalProperties: false,
    byMedia: {
      'application/x-ndjson': { type: 'string', examples: [NDJSON_EXAMPLE] },
      'text/csv': { type: 'string', examples: [CSV_EXAMPLE] },
    },
    examples: [
      {
        operations: [
          { op: 'create', fromDomain: 'old-shop.example.com', toDomain: 'https://shop.example.com' },
          { op: 'update', fromDomain: 'www.example.com', tags: ['spring'] },
          { op: 'delete', externalId: 'crm-17' },
        ],
      },
    ],
  },
);

const ResultSchema = Type.Object({
  row: Type.Integer({ minimum: 1, description: 'Position of the operation, starting with 1.' }),
  op: Type.Enum([...OPERATIONS]),
  status: Type.Enum([...STATUSES], {
    description: 'Result of the operation. If `applied` is false, it has not happened.',
  }),
  id: Type.Optional(Type.String({ description: 'Id of the redirect.' })),
  error: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String(), field: Type.Optional(Type.String()) }),
  ),
});

const report = {
  dryRun: Type.Boolean(),
  applied: Type.Boolean({ description: 'Whether changes were made.' }),
  summary: Type.Object({
    total: Type.Integer(),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
    unchanged: Type.Integer(),
    failed: Type.Integer(),
  }),
  results: Type.Array(ResultSchema, { description: 'One result per operation, in the same order.' }),
};

export const BulkReportSchema = Type.Object(report);
export const BulkRejectedSchema = Type.Object({
  error: Type.Object({ message: Type.String(), code: Type.String(), field: Type.Optional(Type.String()) }),
  ...Type.Partial(Type.Object(report)).properties,
});

export type BulkMode = (typeof BULK_MODES)[number];
export type Operation = (typeof OPERATIONS)[number];
export type BulkResult = Static<typeof ResultSchema>;
export type BulkReport = Static<typeof BulkReportSchema>;
