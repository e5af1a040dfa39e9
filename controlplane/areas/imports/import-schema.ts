import type { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { ForceSchema } from '../../http/forced-changes.js';
import {
  IMPORT_FORMATS,
  IMPORT_KINDS,
  IMPORT_MODES,
  IMPORT_STATES,
  MAX_ATOMIC_ROWS,
  ON_EXISTING,
  ROW_STATUSES,
} from './import.js';

const MAX_LIMIT = 200;

const nullable = <Value>(schema: object) => Type.Unsafe<Value | null>(schema);

export const NewImportQuerySchema = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum([...IMPORT_KINDS], {
        description: '`redirects` (default): whole hosts. `paths`: path table entries of `redirectId`.',
      }),
    ),
    redirectId: Type.Optional(Type.String({ maxLength: 64, description: 'Required with `kind=paths`.' })),
    format: Type.Optional(
      Type.Enum([...IMPORT_FORMATS], {
        description: 'Default: `csv` or `ndjson`, by `Content-Type`.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...IMPORT_MODES], {
        description: `\`best_effort\` (default): other rows are applied. \`all_or_nothing\`: a failing row changes nothing; up to ${MAX_ATOMIC_ROWS} rows.`,
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Changes nothing. The rows show what would happen.' })),
    collapse: Type.Optional(
      Type.Boolean({
        description:
          'Only for `kind=paths`. Imported rows that lead to another entry of the table get the last destination, as `collapse` of `PUT /redirects/{id}/paths` does.',
      }),
    ),
    onExisting: Type.Optional(
      Type.Enum([...ON_EXISTING], {
        description:
          'Only for `kind=redirects`. Rows that create a redirect for a domain of yours that has one already fail (`fail`, default), are skipped, or change it. Rows that equal it count as unchanged with `update`.',
      }),
    ),
    force: ForceSchema,
  },
  { additionalProperties: false },
);
export type NewImportQuery = Static<typeof NewImportQuerySchema>;

const count = Type.Integer({ minimum: 0 });

export const ImportSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum([...IMPORT_KINDS]),
    format: Type.Enum([...IMPORT_FORMATS]),
    mode: Type.Enum([...IMPORT_MODES]),
    dryRun: Type.Boolean(),
    redirectId: nullable<string>({ type: ['string', 'null'] }),
    state: Type.Enum([...IMPORT_STATES]),
    rows: Type.Object(
      {
        total: count,
        done: count,
        created: count,
        updated: count,
        unchanged: count,
        failed: count,
        skipped: count,
      },
      {
        description: 'Deleted redirects count as updated. With `dryRun`, the counts show what would happen.',
      },
    ),
    rowsPerSecond: Type.Number({ minimum: 0 }),
    secondsLeft: nullable<number>({ type: ['integer', 'null'], minimum: 0 }),
    error: nullable<{ code: string; message: string; field?: string }>({
      type: ['object', 'null'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        field: { type: 'string' },
      },
      required: ['code', 'message'],
      description: 'Reason for the failure of the whole import.',
    }),
    createdAt: Type.String({ format: 'date-time' }),
    startedAt: nullable<string>({ type: ['string', 'null'], format: 'date-time' }),
    finishedAt: nullable<string>({ type: ['string', 'null'], format: 'date-time' }),
  },
  { title: 'Import' },
);
export type ImportRecord = Static<typeof ImportSchema>;

const page = Type.Object({
  limit: Type.Integer(),
  nextCursor: nullable<string>({ type: ['string', 'null'] }),
});
export const ImportListSchema = Type.Object({ data: Type.Array(ImportSchema), page });

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
};
export const ListQuerySchema = Type.Object(paging, { additionalProperties: false });

export const RowsQuerySchema = Type.Object(
  {
    status: Type.Optional(Type.Enum([...ROW_STATUSES], { description: 'Only rows with this status.' })),
    format: Type.Optional(
      Type.Enum(['json', 'csv'], { description: '`json` (default): one page. `csv`: all rows as a file.' }),
    ),
    ...paging,
  },
  { additionalProperties: false },
);

const ImportRowSchema = Type.Object(
  {
    row: Type.Integer({
      minimum: 1,
      description: 'Row number in the file, starting with 1. A header row does not count.',
    }),
    status: Type.Enum([...ROW_STATUSES]),
    source: Type.String({ description: 'Text of the row in the file.' }),
    message: nullable<string>({ type: ['string', 'null'], description: 'Reason for the failure or skip.' }),
    field: Type.Optional(Type.String()),
  },
  {
    title: 'ImportedRow',
    examples: [
      {
        row: 2,
        status: 'failed',
        source: 'old.example,ftp://new.example',
        message: 'toDomain must be an absolute http or https URL.',
        field: 'toDomain',
      },
    ],
  },
);
export type ImportedRowRecord = Static<typeof ImportRowSchema>;

export const RowsSchema = {
  description: 'The finished rows, in the order of the file.',
  content: {
    'application/json': { schema: Type.Object({ data: Type.Array(ImportRowSchema), page }) },
    'text/csv': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description: 'The columns are row, status, source, message and field.',
      }),
    },
  },
};

export const IdParamSchema = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
