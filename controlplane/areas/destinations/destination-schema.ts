import { type Static, Type } from 'typebox';
import { pageOf, paging } from '../../http/schema-parts.js';
import { REDIRECT_HEALTHS } from '../redirects/public.js';
import { CHECK_ERRORS, type CheckError } from './check-result.js';
import { MAX_DESTINATIONS, USES } from './used-destinations.js';

/** Maximum redirects per destination that the operator's list counts and shows. */
export const MAX_COUNTED = 1_000;
export const MAX_SHOWN = 5;

const EXAMPLE = {
  url: 'https://new.example/',
  usedBy: ['redirect'],
  health: 'ok',
  statusCode: 200,
  error: null,
  redirects: [{ statusCode: 301, location: 'https://www.new.example/' }],
  tlsExpiresAt: '2026-03-01T00:00:00.000Z',
  responseTimeMs: 120,
  failures: 0,
  failingSince: null,
  checkedAt: '2026-01-15T09:30:00.000Z',
  nextCheckAt: '2026-01-16T09:30:00.000Z',
};

const HealthSchema = Type.Enum([...REDIRECT_HEALTHS]);
const time = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

export const DestinationSchema = Type.Object(
  {
    url: Type.String({ examples: ['https://new.example/'] }),
    usedBy: Type.Array(Type.Enum([...USES])),
    health: HealthSchema,
    statusCode: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Status of the last answer; null without one.',
    }),
    error: Type.Unsafe<CheckError | null>({
      type: ['string', 'null'],
      enum: [...CHECK_ERRORS, null],
      description:
        'Reason for which there was no answer. `address_refused`: the host is in a private network.',
      examples: [null],
    }),
    redirects: Type.Array(Type.Object({ statusCode: Type.Integer(), location: Type.String() }), {
      description: 'Redirects that the check followed, at most 10.',
    }),
    tlsExpiresAt: time('First certificate on the way to expire; null without TLS.'),
    responseTimeMs: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    failures: Type.Integer({ description: 'Failed checks in a row.' }),
    failingSince: time('First of the failed checks.'),
    checkedAt: time('Last check; null before the first one.'),
    nextCheckAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Destination', examples: [EXAMPLE] },
);
export type DestinationRecord = Static<typeof DestinationSchema>;

export const RedirectHealthSchema = Type.Object(
  {
    health: HealthSchema,
    destinations: Type.Array(DestinationSchema, { description: `At most ${MAX_DESTINATIONS}.` }),
  },
  { title: 'RedirectHealth' },
);

export const BrokenPageSchema = pageOf(
  Type.Object(
    {
      url: Type.String(),
      statusCode: DestinationSchema.properties.statusCode,
      error: DestinationSchema.properties.error,
      failures: DestinationSchema.properties.failures,
      failingSince: DestinationSchema.properties.failingSince,
      checkedAt: DestinationSchema.properties.checkedAt,
      redirectCount: Type.Integer({
        description: `Redirects that lead there. ${MAX_COUNTED}: at least as many.`,
      }),
      redirects: Type.Array(
        Type.Object({
          id: Type.String(),
          fromDomain: Type.String(),
          userId: Type.String(),
          email: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            description: 'Address of the owner.',
          }),
        }),
        { description: `The first ${MAX_SHOWN} of them.` },
      ),
    },
    { title: 'BrokenDestination' },
  ),
);

export const BrokenQuerySchema = Type.Object({
  ...paging,
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Part of the URL.' })),
});
