import { type Static, Type } from 'typebox';
import {
  DEFAULT_CACHE_SECONDS,
  MAX_CACHE_SECONDS,
  QUERY_RECORDINGS,
} from '../../shared/ruleset/redirect-definition.js';
import { MAX_DESTINATION_LENGTH } from '../domains/destination-url.js';
import { VerificationRecordSchema } from '../domains/verification-report.js';

const MAX_DOMAIN_LENGTH = 512;

const RedirectTypeSchema = Type.Enum(['permanent', 'temporary'], {
  description: '`permanent` answers 301, `temporary` 302.',
});
const fromDomain = Type.String({
  maxLength: MAX_DOMAIN_LENGTH,
  accepts: 'a domain or subdomain without protocol and path, such as example.com',
  description: 'Domain or subdomain without protocol and path.',
});
const settings = {
  toDomain: Type.String({
    maxLength: MAX_DESTINATION_LENGTH,
    accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
    description: 'Destination URL, with protocol.',
  }),
  redirectType: RedirectTypeSchema,
  pathForwarding: Type.Boolean({ description: 'Append the request path to the destination.' }),
  queryForwarding: Type.Boolean({ description: 'Carry the query string to the destination.' }),
  samplingRate: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of traffic that analytics record: 1 all, 0 none.',
  }),
  cacheSeconds: Type.Integer({
    minimum: 0,
    maximum: MAX_CACHE_SECONDS,
    accepts: `a whole number from 0 to ${MAX_CACHE_SECONDS}`,
    description: `How long browsers and other caches may keep a permanent answer, in seconds (default ${DEFAULT_CACHE_SECONDS}). 0 forbids it. Temporary answers, and those of a redirect with active rules, are never kept.`,
  }),
  queryRecording: Type.Enum([...QUERY_RECORDINGS], {
    description:
      'What hits record of the query of requests, destinations and referrers. `full`: everything, with the values of parameters named like secrets (`token`, `password`, `api_key`, …) masked. `names`: all values are masked; no campaign is recorded. `none`: no query. Applies to hits recorded from then on. Visitors are redirected as before.',
  }),
};

export const CreateRedirectSchema = Type.Object(
  {
    fromDomain,
    toDomain: settings.toDomain,
    redirectType: Type.Optional(settings.redirectType),
    pathForwarding: Type.Optional(settings.pathForwarding),
    queryForwarding: Type.Optional(settings.queryForwarding),
    samplingRate: Type.Optional(settings.samplingRate),
    cacheSeconds: Type.Optional(settings.cacheSeconds),
    queryRecording: Type.Optional(settings.queryRecording),
  },
  {
    additionalProperties: false,
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

/** Members that a client may send back as it got them; they change nothing. */
const readOnly = Object.fromEntries(
  [
    'isVerified',
    'status',
    'verification',
    'userID',
    'createdAt',
    'updatedAt',
    'verifiedAt',
    'analyticsUsage',
  ].map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
);

export const UpdateRedirectSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'If sent, the id of the path.' })),
    fromDomain: Type.Optional(fromDomain),
    ...Type.Partial(Type.Object(settings)).properties,
    ...readOnly,
  },
  {
    additionalProperties: false,
    examples: [{ toDomain: 'https://shop.example.com/spring', redirectType: 'temporary' }],
  },
);

export const VerifyDomainSchema = Type.Object(
  { domain: fromDomain },
  { additionalProperties: false, examples: [{ domain: 'old-shop.example.com' }] },
);

export const RedirectSchema = Type.Object({
  id: Type.String(),
  fromDomain: Type.String(),
  ...settings,
  isVerified: Type.Boolean(),
  status: Type.Enum(['pending', 'active'], { description: '`active` once the domain is verified.' }),
  verification: VerificationRecordSchema,
  userID: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  verifiedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  analyticsUsage: Type.Object({
    recordedHits: Type.Integer({ description: 'Recorded this month.' }),
    estimatedTotalHits: Type.Integer({ description: 'The same, scaled by the sampling rate of each hit.' }),
    samplingRate: Type.Number(),
    month: Type.String({ description: 'YYYY-MM, UTC.' }),
    planLimit: Type.Integer({ description: 'Events a month that the plan records; -1: no limit.' }),
    usagePercentage: Type.Number(),
    limitStatus: Type.Enum(['within_limit', 'approaching_limit', 'limit_reached']),
    canRecordMore: Type.Boolean(),
  }),
});

export const IdParamSchema = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
export const MessageSchema = Type.Object({ message: Type.String() });

export type CreateRedirect = Static<typeof CreateRedirectSchema>;
export type UpdateRedirect = Static<typeof UpdateRedirectSchema>;
export type RedirectRecord = Static<typeof RedirectSchema>;
