import { type Static, Type } from 'typebox';
import {
  DEFAULT_CACHE_SECONDS,
  MAX_CACHE_SECONDS,
  QUERY_RECORDINGS,
} from '../../../shared/ruleset/redirect-definition.js';
import { HOST_NAME, HTTP_URL } from '../../http/documented-formats.js';
import { CertificateSchema } from '../certificates/public.js';
import {
  MAX_DESTINATION_LENGTH,
  VerificationRecordSchema,
  VerificationReportSchema,
} from '../domains/public.js';
import { optionMembers, optionPatches, optionSettings } from './redirect-options-schema.js';
import { REDIRECT_STATUSES } from './redirect-status.js';

const MAX_DOMAIN_LENGTH = 512;

const RedirectTypeSchema = Type.Enum(['permanent', 'temporary'], {
  description: '`permanent` means status 301 or 308, `temporary` 302 or 307; see `statusCode`.',
});
const fromDomain = Type.String({
  maxLength: MAX_DOMAIN_LENGTH,
  documented: HOST_NAME,
  accepts: 'a domain or subdomain without protocol and path, such as example.com',
  description: 'Domain or subdomain without protocol and path.',
});
const basicSettings = {
  toDomain: Type.String({
    maxLength: MAX_DESTINATION_LENGTH,
    documented: HTTP_URL,
    accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
    description:
      'Absolute destination URL. On a wildcard host, `{host.1}` to `{host.9}` after the host are the labels that `*` stands for, from the left.',
  }),
  redirectType: RedirectTypeSchema,
  pathForwarding: Type.Boolean({ description: 'Appends the request path to the destination.' }),
  queryForwarding: Type.Boolean({ description: 'Appends the query string to the destination.' }),
  samplingRate: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of visits to record, from 0 (none) to 1 (all).',
  }),
  cacheSeconds: Type.Integer({
    minimum: 0,
    maximum: MAX_CACHE_SECONDS,
    accepts: `a whole number from 0 to ${MAX_CACHE_SECONDS}`,
    description: `Seconds that caches may keep a permanent answer. Default: ${DEFAULT_CACHE_SECONDS}. 0 forbids it. Temporary answers, and those with active rules, are never cached.`,
  }),
  queryRecording: Type.Enum([...QUERY_RECORDINGS], {
    description:
      'Recorded parts of the query of requests, destinations and referrers. `full`: everything, with values of secrets (`token`, `password`, `api_key`, …) masked. `names`: all values masked, no campaigns. `none`: nothing. It affects later hits only, and never the redirect itself.',
  }),
};

/** The status codes of each type; code checks them. */
const TYPED_STATUS_CODES = {
  anyOf: [
    { properties: { redirectType: { enum: ['permanent'] }, statusCode: { enum: [301, 308] } } },
    { properties: { redirectType: { enum: ['temporary'] }, statusCode: { enum: [302, 307] } } },
  ],
};

const settings = { ...basicSettings, ...optionSettings };
const { toDomain, ...optionalSettings } = settings;

export const CreateRedirectSchema = Type.Object(
  { fromDomain, toDomain, ...Type.Partial(Type.Object(optionalSettings)).properties },
  {
    additionalProperties: false,
    documented: TYPED_STATUS_CODES,
    examples: [
      {
        fromDomain: 'old-shop.example.com',
        toDomain: 'https://shop.example.com',
        pathForwarding: true,
        queryForwarding: true,
      },
    ],
  },
);

/** Read-only members that a client may send back. They change nothing. */
export const READ_ONLY_MEMBERS = [
  'isVerified',
  'status',
  'verification',
  'userID',
  'createdAt',
  'updatedAt',
  'verifiedAt',
  'analyticsUsage',
  'certificate',
  'pathCount',
  'version',
] as const;

const READ_ONLY = 'Members without a type here are read-only and ignored.';
const readOnly = Object.fromEntries(READ_ONLY_MEMBERS.map((name) => [name, Type.Optional(Type.Unknown())]));

export const UpdateRedirectSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Must be the id in the path.' })),
    fromDomain: Type.Optional(fromDomain),
    ...Type.Partial(Type.Object(settings)).properties,
    ...readOnly,
  },
  {
    additionalProperties: false,
    documented: TYPED_STATUS_CODES,
    description: READ_ONLY,
    examples: [{ toDomain: 'https://shop.example.com/spring', redirectType: 'temporary' }],
  },
);

/** Settings by name in a JSON Merge Patch: null sets the default. */
const patches = Object.fromEntries(
  Object.entries({ ...settings, ...optionPatches })
    .filter(([name]) => name !== 'toDomain')
    .map(([name, schema]) => [name, Type.Optional(Type.Unsafe({ anyOf: [schema, { type: 'null' }] }))]),
);

export const PatchRedirectSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Must be the id in the path.' })),
    fromDomain: Type.Optional(fromDomain),
    toDomain: Type.Optional(toDomain),
    ...patches,
    ...readOnly,
  },
  {
    additionalProperties: false,
    description: `JSON Merge Patch (RFC 7396). Objects are merged, and \`null\` sets the default. ${READ_ONLY}`,
    examples: [{ enabled: false, tags: ['spring'], responseHeaders: { 'X-Robots-Tag': null } }],
  },
);

export const VerifyDomainSchema = Type.Object(
  { domain: fromDomain },
  { additionalProperties: false, examples: [{ domain: 'old-shop.example.com' }] },
);

const MAX_DOMAINS_AT_ONCE = 1_000;

export const VerifyDomainsSchema = Type.Object(
  {
    // A name that is not a domain gets its own error in the answer.
    domains: Type.Array(Type.String({ maxLength: MAX_DOMAIN_LENGTH }), {
      minItems: 1,
      maxItems: MAX_DOMAINS_AT_ONCE,
      accepts: `a list of 1 to ${MAX_DOMAINS_AT_ONCE} domains`,
    }),
  },
  { additionalProperties: false, examples: [{ domains: ['old-shop.example.com', 'www.example.com'] }] },
);

export const VerifiedDomainsSchema = Type.Object({
  results: Type.Array(
    Type.Union([
      VerificationReportSchema,
      Type.Object({
        domain: Type.String(),
        error: Type.Object({
          code: Type.String(),
          message: Type.String(),
          field: Type.Optional(Type.String()),
        }),
      }),
    ]),
    {
      description:
        'The answers of `POST /verify-domain` in the order of the request. A refused domain has `error`.',
    },
  ),
});

export const RedirectSchema = Type.Object(
  {
    id: Type.String(),
    fromDomain: Type.String(),
    ...basicSettings,
    ...optionMembers,
    isVerified: Type.Boolean(),
    status: Type.Enum([...REDIRECT_STATUSES], {
      description:
        '`pending` until the domain is verified; `disabled` while `enabled` is false; `scheduled` before `startsAt`; `ended` after `endsAt`.',
    }),
    verification: VerificationRecordSchema,
    userID: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    verifiedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    certificate: Type.Union([CertificateSchema, Type.Null()], { description: 'Certificate of the domain.' }),
    pathCount: Type.Integer({ description: 'Number of entries in the path table.' }),
    version: Type.Integer({ description: 'Increases with each change of the redirect.' }),
    analyticsUsage: Type.Object(
      {
        recordedHits: Type.Integer({ description: 'Hits recorded this month.' }),
        estimatedTotalHits: Type.Integer({
          description: 'Estimate of all hits of this month, weighted by the sampling rate of each hit.',
        }),
        samplingRate: Type.Number(),
        month: Type.String({ description: 'Month as YYYY-MM in UTC.' }),
        planLimit: Type.Integer({ description: 'Monthly limit of recorded events. -1 means unlimited.' }),
        usagePercentage: Type.Number(),
        limitStatus: Type.Enum(['within_limit', 'approaching_limit', 'limit_reached']),
        canRecordMore: Type.Boolean(),
      },
      { title: 'AnalyticsUsage' },
    ),
  },
  { title: 'Redirect' },
);

export type CreateRedirect = Static<typeof CreateRedirectSchema>;
export type UpdateRedirect = Static<typeof UpdateRedirectSchema>;
export type PatchRedirect = Readonly<Record<string, unknown>>;
export type RedirectInput = Omit<CreateRedirect, 'fromDomain'>;
export type RedirectRecord = Static<typeof RedirectSchema>;
