import { Type } from 'typebox';
import { PATH_ENDINGS, PATH_STATUS_CODES, UNMATCHED } from '../../../shared/paths/path-entry.js';
import { REDIRECT_STATUS_CODES } from '../../../shared/rules/redirect-status.js';
import { MOMENT } from '../../http/documented-formats.js';
import { idInPath, nullable, PageSchema, pageOf, paging, time } from '../../http/schema-parts.js';
import { AUDIT_ACTIONS, RESOURCE_TYPES } from './audit-entry.js';
import type { AuditRow, VersionRow } from './history-repository.js';
import type { EntryState, RedirectState, RuleState } from './version-state.js';

export const MAX_VERSION = 2_147_483_647;
const MAX_ENTRIES_PER_PAGE = 10_000;
const MAX_CHANGES_PER_PAGE = 10_000;
const EXAMPLE_TIME = '2026-11-24T08:00:00.000Z';

const { cursor } = paging;

const bySchema = Type.Object(
  {
    userId: nullable(Type.String()),
    email: nullable(Type.String()),
    tokenId: nullable(Type.String(), 'Id of the access token or session.'),
    address: nullable(Type.String(), 'Address that the request came from.'),
  },
  {
    title: 'ChangedBy',
    description:
      'Author of the change. All members are `null` for the service itself and for an unknown author.',
    examples: [{ userId: '4m1x', email: 'ada@example.com', tokenId: '7kq2', address: '192.0.2.1' }],
  },
);

const version = Type.Integer({ minimum: 1, examples: [3] });

export const VersionParamSchema = Type.Object({
  id: idInPath,
  n: Type.String({
    maxLength: 10,
    documented: { pattern: '^[1-9][0-9]{0,8}$' },
    description: 'Number of the version.',
    examples: ['3'],
  }),
});

export const VersionsQuerySchema = Type.Object(paging);

const VersionSchema = Type.Object(
  {
    version,
    at: time,
    by: bySchema,
    action: Type.String({ examples: ['redirect.updated'] }),
    summary: Type.String({ examples: ['Changed toDomain'] }),
  },
  { title: 'Version' },
);

export const VersionPageSchema = pageOf(VersionSchema);

const EXAMPLE_REDIRECT = {
  fromDomain: 'old.example',
  toDomain: 'https://new.example',
  redirectType: 'permanent',
  statusCode: 301,
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
  cacheSeconds: 300,
  queryRecording: 'full',
  enabled: true,
  tags: [],
  note: '',
  externalId: null,
  startsAt: null,
  endsAt: null,
  afterEnd: null,
  responseHeaders: {},
  appendQuery: {},
  clickIdParam: null,
  notFound: null,
  httpsMode: 'both',
  hsts: null,
  isVerified: true,
  isDeleted: false,
} satisfies RedirectState;

/** Actions, and prefixes that select several actions. */
const ACTION_NAMES = [...new Set(AUDIT_ACTIONS.flatMap((action) => [action, ...action.split('.')]))];

const text = { type: 'string' };
const flag = { type: 'boolean' };
const moment = { type: ['string', 'null'], format: 'date-time' };
const texts = { type: 'object', additionalProperties: text };

/** The serializer writes only what a schema names, so a member that is missing here fails the property test. */
function stateSchema<State extends object>(
  title: string,
  description: string,
  properties: Readonly<Record<keyof State, object>>,
  example: State,
) {
  const required = Object.keys(properties);
  return Type.Unsafe<State>({
    type: 'object',
    title,
    description,
    required,
    properties,
    examples: [example],
  });
}

const RedirectStateSchema = stateSchema<RedirectState>(
  'RedirectState',
  'Settings as `PATCH /redirects/{id}` takes them, and the standing of the redirect.',
  {
    fromDomain: text,
    toDomain: text,
    redirectType: { type: 'string', enum: ['permanent', 'temporary'] },
    statusCode: { type: 'integer', enum: [...REDIRECT_STATUS_CODES] },
    pathForwarding: flag,
    queryForwarding: flag,
    samplingRate: { type: 'number' },
    cacheSeconds: { type: 'integer' },
    queryRecording: text,
    enabled: flag,
    tags: { type: 'array', items: text },
    note: text,
    externalId: { type: ['string', 'null'] },
    startsAt: moment,
    endsAt: moment,
    afterEnd: { type: ['object', 'null'], additionalProperties: true },
    responseHeaders: texts,
    appendQuery: texts,
    clickIdParam: { type: ['string', 'null'] },
    notFound: { type: ['object', 'null'], additionalProperties: true },
    httpsMode: { type: 'string', enum: ['both', 'upgrade', 'off'] },
    hsts: { type: ['object', 'null'], additionalProperties: true },
    isVerified: flag,
    isDeleted: flag,
  },
  EXAMPLE_REDIRECT,
);

const RuleStateSchema = stateSchema<RuleState>(
  'RuleState',
  'A rule as `POST /redirects/{id}/rules` takes it, with its id.',
  {
    id: { type: 'integer' },
    name: text,
    description: text,
    type: { type: 'string', enum: ['force', 'percentage', 'ab_experiment'] },
    conditions: { type: 'array', items: { type: 'object', additionalProperties: true } },
    conditionLogic: { type: 'string', enum: ['AND', 'OR'] },
    action: { type: 'object', additionalProperties: true },
    priority: { type: 'integer' },
    status: { type: 'string', enum: ['active', 'inactive', 'draft'] },
    startDate: moment,
    endDate: moment,
    metadata: { type: 'object', additionalProperties: true },
  },
  {
    id: 12,
    name: 'Germany',
    description: '',
    type: 'force',
    conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
    conditionLogic: 'AND',
    action: { type: 'redirect', url: 'https://new.example/de' },
    priority: 1,
    status: 'active',
    startDate: null,
    endDate: null,
    metadata: {},
  },
);

const EntryStateSchema = stateSchema<EntryState>(
  'PathEntryState',
  'An entry as `POST /redirects/{id}/paths` takes it, with its id.',
  {
    id: { type: 'integer' },
    source: text,
    query: { type: ['object', 'null'], additionalProperties: { type: ['boolean', 'string'] } },
    destination: { type: ['string', 'null'] },
    statusCode: { type: 'integer', enum: [...PATH_STATUS_CODES] },
    queryForwarding: { type: ['boolean', 'string'], enum: ['inherit', true, false] },
    pathEnding: { type: 'string', enum: [...PATH_ENDINGS] },
    enabled: flag,
    note: text,
  },
  {
    id: 7,
    source: '/old/*',
    query: null,
    destination: 'https://new.example/archive/*',
    statusCode: 301,
    queryForwarding: 'inherit',
    pathEnding: 'inherit',
    enabled: true,
    note: '',
  },
);

export const VersionQuerySchema = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_ENTRIES_PER_PAGE,
    default: 1_000,
    description: 'Maximum entries of the table of paths.',
  }),
  cursor,
});

export const VersionStateSchema = Type.Object(
  {
    version,
    at: nullable(time, '`null` for the state before the first recorded version.'),
    by: bySchema,
    action: nullable(Type.String({ examples: ['redirect.updated'] })),
    summary: nullable(Type.String({ examples: ['Changed toDomain'] })),
    redirect: RedirectStateSchema,
    rules: Type.Array(RuleStateSchema),
    paths: Type.Object({
      options: Type.Object({
        ignoreCase: Type.Boolean(),
        ignoreTrailingSlash: Type.Boolean(),
        unmatched: Type.Enum([...UNMATCHED]),
      }),
      total: Type.Integer({ description: 'Entries of the table.' }),
      entries: Type.Array(EntryStateSchema),
      nextCursor: nullable(Type.String(), 'Gets further entries; `null` after the last one.'),
    }),
  },
  { title: 'VersionState' },
);

export const DiffQuerySchema = Type.Object({
  against: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_VERSION,
      description: 'Version to compare with. Default: the one before. 0 is the state before the creation.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: MAX_CHANGES_PER_PAGE, default: 1_000 }),
  cursor,
});

export const DiffSchema = Type.Object({
  changes: Type.Array(
    Type.Object(
      {
        path: Type.String({
          description:
            'Path of the difference: `redirect.<member>`, `rules.<id>.<member>`, `paths.options.<member>`, `paths.entries.<id>.<member>`. The member is missing if only one of the two versions has the rule or entry.',
          examples: ['redirect.toDomain'],
        }),
        before: Type.Unknown({
          description: 'Value in the version `against`.',
          examples: ['https://old.example'],
        }),
        after: Type.Unknown({ description: 'Value in the version `n`.', examples: ['https://new.example'] }),
      },
      { title: 'StateDifference' },
    ),
  ),
  page: PageSchema,
});

/** Parameters of a log that `periodOf` reads. */
export const periodSchema = {
  since: Type.Optional(
    Type.String({
      maxLength: 40,
      documented: MOMENT,
      description: 'First moment.',
      examples: [EXAMPLE_TIME],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 40,
      documented: MOMENT,
      description: 'Last moment, included.',
      examples: [EXAMPLE_TIME],
    }),
  ),
};

const filters = {
  resource: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: `Id of a resource, or a type: ${RESOURCE_TYPES.join(', ')}. Changes of rules and paths are those of their redirect.`,
      examples: ['redirect'],
    }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      documented: { enum: ACTION_NAMES },
      description: `An action, or its first or last part: \`rule.updated\`, \`rule\`, \`updated\`.`,
      examples: ['redirect.updated'],
    }),
  ),
  ...periodSchema,
};

export const AuditQuerySchema = Type.Object({ ...filters, ...paging });
export const AuditExportQuerySchema = Type.Object({
  ...filters,
  format: Type.Optional(Type.Enum(['csv', 'ndjson'], { description: 'Default: `csv`.' })),
});

export const AuditEntrySchema = Type.Object(
  {
    id: Type.String({ examples: ['1204'] }),
    at: time,
    by: bySchema,
    action: Type.String({ examples: ['redirect.updated'] }),
    resource: Type.Object({
      type: Type.Enum([...RESOURCE_TYPES]),
      id: nullable(Type.String(), '`null` where the entry is about several resources.'),
      name: nullable(Type.String(), 'Domain, name or URL.'),
      count: Type.Integer(),
    }),
    version: nullable(Type.Integer(), 'Version of the redirect that the change made.'),
    summary: Type.String({ examples: ['Changed toDomain'] }),
  },
  { title: 'AuditEntry' },
);

export const AuditPageSchema = pageOf(AuditEntrySchema);

function byRecord({ userId, email, tokenId, address }: Omit<VersionRow, 'version'>) {
  return { userId, email, tokenId, address };
}

export const NOBODY = { userId: null, email: null, tokenId: null, address: null };

export function versionRecord(row: VersionRow) {
  const { version: number, action, summary } = row;
  return { version: number, at: row.time.toISOString(), by: byRecord(row), action, summary };
}

export function auditRecord(row: AuditRow) {
  const { id, action, type, resourceId, name, count, version: number } = row;
  return {
    id,
    at: row.time.toISOString(),
    by: byRecord(row),
    action,
    resource: { type, id: resourceId, name, count },
    version: number,
    summary: count === 1 ? row.summary : `${row.summary}: ${count} redirects`,
  };
}

export type AuditRecord = ReturnType<typeof auditRecord>;
