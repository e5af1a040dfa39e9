import { type Static, Type } from 'typebox';
import { bodyOf, nullable, recordOf, time } from '../../http/schema-parts.js';
import { SCOPES } from '../../http/scopes.js';
import type { AccessToken } from './access-token.js';

const MAX_NAME_LENGTH = 100;
const MAX_LIFETIME_DAYS = 3650;

const ScopeSchema = Type.Enum([...SCOPES], { title: 'Scope' });

export const CreateTokenSchema = bodyOf(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'Purpose of the token, in your words.',
    }),
    scopes: Type.Optional(
      Type.Array(ScopeSchema, {
        minItems: 1,
        maxItems: 100,
        accepts: `a list of at least one of: ${SCOPES.join(', ')}`,
        description: 'Permissions of the token. Default: those of the token of this request.',
      }),
    ),
    expiresInDays: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        maximum: MAX_LIFETIME_DAYS,
        accepts: `a whole number from 1 to ${MAX_LIFETIME_DAYS}, or null`,
        description: 'Lifetime in days. Default, and with `null`: unlimited.',
      }),
    ),
  },
  { name: 'Deploy script', scopes: ['redirects:read', 'redirects:write'], expiresInDays: 90 },
);

export const TokenSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(ScopeSchema),
    expiresAt: nullable(time, '`null` means unlimited.'),
    lastUsedAt: nullable(time, 'Rounded to the minute. `null` means unused.'),
    createdAt: time,
  },
  { title: 'AccessToken' },
);

export const CreatedTokenSchema = Type.Object(
  {
    token: Type.String({ description: 'The token. It is shown only once.' }),
    ...TokenSchema.properties,
  },
  { title: 'CreatedAccessToken' },
);

export const TokenListSchema = Type.Object({ tokens: Type.Array(TokenSchema) });

export type CreateToken = Static<typeof CreateTokenSchema>;

/** A token as the API shows it. */
export function tokenRecord(token: AccessToken): Static<typeof TokenSchema> {
  return recordOf(TokenSchema, token);
}
