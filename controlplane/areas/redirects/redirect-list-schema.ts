import { type Static, Type } from 'typebox';
import { listOf } from '../../http/documented-formats.js';
import { type RedirectRecord, RedirectSchema } from './redirect-schema.js';
import { REDIRECT_HEALTHS, SORTS, type Sort } from './redirect-search.js';
import { REDIRECT_STATUSES } from './redirect-status.js';

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_SEARCH_LENGTH = 200;
const MAX_TAG_LENGTH = 50;
const MAX_FIELDS_LENGTH = 1_000;
const MAX_CURSOR_LENGTH = 2_000;

const ListedRedirectSchema = Type.Object({
  ...Type.Partial(RedirectSchema).properties,
  deletedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Present in lists of deleted redirects.' }),
  ),
  restorableUntil: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'End of the time for a restoration. Present in lists of deleted redirects.',
    }),
  ),
});

/** Members that `fields` can select. */
export const FIELDS: ReadonlySet<string> = new Set(Object.keys(ListedRedirectSchema.properties));

export const ListQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      accepts: 'a nextCursor of this list',
      description: '`nextCursor` of the previous page.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_SEARCH_LENGTH,
      description: 'Part of `fromDomain`, `toDomain`, `note` or `externalId`, case-insensitive.',
    }),
  ),
  status: Type.Optional(Type.Enum([...REDIRECT_STATUSES])),
  verified: Type.Optional(Type.Boolean()),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH })),
  health: Type.Optional(
    Type.Enum([...REDIRECT_HEALTHS], {
      description:
        '`broken`: a destination is broken. `ok`: all destinations work. `unknown`: others, such as redirects that are not verified.',
    }),
  ),
  deleted: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Lists the deleted redirects that can be restored, the last deleted first, instead of live ones.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...SORTS] as Sort[], {
      documented: { default: '-createdAt' },
      description: 'Default: `-createdAt`; `-updatedAt` for deleted redirects.',
    }),
  ),
  fields: Type.Optional(
    Type.String({
      maxLength: MAX_FIELDS_LENGTH,
      documented: listOf([...FIELDS]),
      description:
        'Members to return, separated by commas. Default: all. Lists without `analyticsUsage` are faster.',
    }),
  ),
  count: Type.Optional(
    Type.Boolean({
      description: 'Adds `total` and `facets`.',
    }),
  ),
});

const Counts = Type.Unsafe<Readonly<Record<string, number>>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
});

export const RedirectPageSchema = Type.Object({
  data: Type.Array(ListedRedirectSchema),
  page: Type.Object({
    limit: Type.Integer(),
    nextCursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Null on the last page.',
    }),
  }),
  total: Type.Optional(Type.Integer()),
  countLimit: Type.Optional(
    Type.Integer({
      description:
        'Present if not all redirects were counted. `facets` are then minimum numbers. With a filter, `total` is one too.',
    }),
  ),
  facets: Type.Optional(
    Type.Object({
      status: Counts,
      tags: Type.Unsafe({ ...Counts, description: 'The 100 most frequent tags.' }),
    }),
  ),
});

export type ListQuery = Static<typeof ListQuerySchema>;
/** Members of a redirect that a list shows. */
export type ListedRedirect = Partial<RedirectRecord> & {
  readonly deletedAt?: string;
  readonly restorableUntil?: string;
};
export type RedirectPageAnswer = Omit<Static<typeof RedirectPageSchema>, 'data'> & {
  readonly data: ListedRedirect[];
};
