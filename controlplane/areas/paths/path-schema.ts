import { type Static, Type } from 'typebox';
import {
  MAX_DESTINATION_LENGTH,
  MAX_QUERY_CONDITIONS,
  MAX_SOURCE_LENGTH,
  PATH_ENDINGS,
  PATH_STATUS_CODES,
  type QueryConditions,
  UNMATCHED,
} from '../../../shared/paths/path-entry.js';
import { PageSchema } from '../../http/schema-parts.js';
import { MAX_ENTRIES } from './path-table.js';

const MAX_NOTE_LENGTH = 500;
const MAX_URLS = 10_000;
const MAX_URL_LENGTH = 8_192;
const MAX_LIMIT = 200;

const DIAGNOSTIC_EXAMPLE = {
  kind: 'unreachable',
  source: '/old/../a',
  message: 'No browser asks for /old/../a: browsers resolve "." and ".." before they send a request.',
};
const TESTED_EXAMPLE = {
  url: 'https://old.example/old/a',
  entryId: 12,
  source: '/old/*',
  statusCode: 301,
  location: 'https://new.example/archive/a',
  reason: 'pattern',
};

const URL_OR_PATH = { pattern: '^(/|[Hh][Tt][Tt][Pp][Ss]?://)' };
/** An entry has a destination unless its status is 410. */
const GONE_WITHOUT_DESTINATION = {
  if: { required: ['statusCode'], properties: { statusCode: { const: 410 } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { destination: { type: 'null' } } },
  else: { required: ['destination'], properties: { destination: { type: 'string' } } },
};

const conditionValue = { type: ['boolean', 'string'] };

const settings = {
  source: Type.String({
    maxLength: MAX_SOURCE_LENGTH,
    documented: { pattern: '^/([^/]|$)' },
    description: '`/exact/path`, `/prefix/*`, or segments like `:id`.',
    examples: ['/old/*'],
  }),
  query: Type.Optional(
    Type.Unsafe<QueryConditions | null>({
      type: ['object', 'null'],
      maxProperties: MAX_QUERY_CONDITIONS,
      documented: { propertyNames: { minLength: 1 } },
      additionalProperties: conditionValue,
      description:
        'Required query parameters. A value is a text (equals), `true` (present) or `false` (absent).',
      examples: [{ id: '7' }],
    }),
  ),
  destination: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: MAX_DESTINATION_LENGTH,
      documented: URL_OR_PATH,
      description:
        'An absolute URL, or a path on the destination of the redirect. Placeholders: `:id`, `*`, `{query.name}` and, for wildcard hosts, `{host.1}`. Null with `statusCode` 410.',
      examples: ['https://new.example/archive/*'],
    }),
  ),
  statusCode: Type.Optional(Type.Enum([...PATH_STATUS_CODES], { description: 'Default: 301.' })),
  queryForwarding: Type.Optional(
    Type.Unsafe<'inherit' | boolean>({
      enum: ['inherit', true, false],
      description: '`inherit` (default) uses the setting of the redirect.',
    }),
  ),
  pathEnding: Type.Optional(
    Type.Enum([...PATH_ENDINGS], {
      description:
        'How the end of the path is compared. `inherit` (default): by `ignoreTrailingSlash` of the table; `/prefix/*` also matches `/prefix`. `exact`: a slash at the end counts; `/prefix/*` matches `/prefix/` and everything below. `below`, only with `/*`: everything below, not `/prefix/` itself.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
  note: Type.Optional(Type.String({ maxLength: MAX_NOTE_LENGTH })),
};

export const NewEntrySchema = Type.Object(settings, {
  title: 'NewPathEntry',
  additionalProperties: false,
  documented: GONE_WITHOUT_DESTINATION,
});
export type NewEntry = Static<typeof NewEntrySchema>;

export const EntryChangesSchema = Type.Object(
  { ...settings, source: Type.Optional(settings.source) },
  { additionalProperties: false },
);

const options = {
  ignoreCase: Type.Boolean(),
  ignoreTrailingSlash: Type.Boolean(),
  unmatched: Type.Enum([...UNMATCHED], {
    description: 'Result for paths without an entry: the destination of the redirect, 404 or 410.',
  }),
};
export const OptionsSchema = Type.Object(options, { title: 'PathOptions' });

export const NewTableSchema = Type.Object(
  {
    options: Type.Optional(Type.Partial(Type.Object(options), { additionalProperties: false })),
    entries: Type.Array(NewEntrySchema, { maxItems: MAX_ENTRIES }),
  },
  { additionalProperties: false },
);

export type NewTable = Static<typeof NewTableSchema>;

export const OptionChangesSchema = Type.Object(
  { options: Type.Partial(Type.Object(options), { additionalProperties: false }) },
  { additionalProperties: false, examples: [{ options: { unmatched: 'gone' } }] },
);
export const ChangedOptionsSchema = Type.Object({ options: OptionsSchema });

const written = {
  source: Type.String({ examples: ['/old/*'] }),
  query: Type.Unsafe<QueryConditions | null>({
    type: ['object', 'null'],
    additionalProperties: conditionValue,
    examples: [{ id: '7' }],
  }),
  destination: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    examples: ['https://new.example/archive/*'],
  }),
  statusCode: Type.Enum([...PATH_STATUS_CODES]),
  queryForwarding: Type.Unsafe<'inherit' | boolean>({
    type: ['boolean', 'string'],
    enum: ['inherit', true, false],
  }),
  pathEnding: Type.Enum([...PATH_ENDINGS]),
  enabled: Type.Boolean(),
  note: Type.String(),
};

/** An entry without an id, of a table that is not live. */
export const EntrySettingsSchema = Type.Object(written, { title: 'PathEntrySettings' });

export const EntrySchema = Type.Object(
  {
    id: Type.Integer(),
    ...written,
    hitCount: Type.Integer({
      description: 'Number of visits that the entry decided, independent of the sampling rate.',
    }),
    lastHitAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'PathEntry' },
);
export type EntryRecord = Static<typeof EntrySchema>;

const DiagnosticSchema = Type.Object(
  {
    kind: Type.Enum(['duplicate', 'unreachable', 'loop', 'chain', 'collapsed']),
    source: Type.String(),
    other: Type.Optional(Type.String()),
    message: Type.String(),
  },
  { title: 'PathDiagnostic', examples: [DIAGNOSTIC_EXAMPLE] },
);

/** An entry in the answer to the request that wrote it. */
export const WrittenEntrySchema = Type.Object(
  {
    ...EntrySchema.properties,
    diagnostics: Type.Array(DiagnosticSchema, {
      description:
        'Remarks that the table has because of this entry, as `PUT /redirects/{id}/paths` returns them: chains through it, and entries that no request reaches. Empty for a disabled entry.',
    }),
  },
  { title: 'WrittenPathEntry' },
);
export type WrittenEntryRecord = Static<typeof WrittenEntrySchema>;

export const EntryListSchema = Type.Object({
  data: Type.Array(EntrySchema),
  page: PageSchema,
  options: OptionsSchema,
});

export const ListQuerySchema = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Part of the source, destination or note, case-insensitive.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const CollapseQuerySchema = Type.Object(
  {
    collapse: Type.Optional(
      Type.Boolean({
        description:
          '`true`: entries that lead to another entry of the table get the last destination, where it is the same for every visitor. The result is permanent if all entries on the way are, and keeps the method if all do. Diagnostics name what was collapsed. Destinations with placeholders, and ways past entries with query conditions, stay as they are. So does the whole table while the redirect has active rules or `appendQuery`, or is a wildcard.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const TableReplacedSchema = Type.Object({
  summary: Type.Object({ total: Type.Integer() }),
  diagnostics: Type.Array(DiagnosticSchema),
});

export type TableReplacedRecord = Static<typeof TableReplacedSchema>;

export const TestPathsSchema = Type.Object(
  {
    urls: Type.Array(Type.String({ maxLength: MAX_URL_LENGTH, documented: URL_OR_PATH }), {
      minItems: 1,
      maxItems: MAX_URLS,
    }),
  },
  { additionalProperties: false, examples: [{ urls: ['https://old.example/old/a'] }] },
);

export const TestedPathsSchema = Type.Object({
  results: Type.Array(
    Type.Object(
      {
        url: Type.String(),
        entryId: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
        source: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        statusCode: Type.Integer(),
        location: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        reason: Type.Enum(['exact', 'pattern', 'rule', 'destination', 'not_found', 'gone']),
      },
      { title: 'TestedPath', examples: [TESTED_EXAMPLE] },
    ),
  ),
});
export type TestedPath = Static<typeof TestedPathsSchema>['results'][number];

export const RedirectParamSchema = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const EntryParamSchema = Type.Object({
  id: Type.String({ maxLength: 64 }),
  entryId: Type.String({ maxLength: 32 }),
});
