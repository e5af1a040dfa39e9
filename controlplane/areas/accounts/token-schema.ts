import { type Static, Type } from 'typebox';
import { SCOPES } from '../../http/scopes.js';
import type { AccessToken } from './access-token.js';

const MAX_NAME_LENGTH = 100;
const MAX_LIFETIME_DAYS = 3650;

const ScopeSchema = Type.Enum([...SCOPES], { title: 'Scope' });
const nullableTime = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

export const CreateTokenSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'What the token is for, in your words.',
    }),
    scopes: Type.Optional(
      Type.Array(ScopeSchema, {
        minItems: 1,
        maxItems: 100,
        accepts: `a list of at least one of: ${SCOPES.join(', ')}`,
        description: 'What it may do. Default: all that the token of this request may do.',
      }),
    ),
    expiresInDays: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        maximum: MAX_LIFETIME_DAYS,
        accepts: `a whole number from 1 to ${MAX_LIFETIME_DAYS}, or null`,
        description: 'Default, and `null`: it has no end.',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ name: 'Deploy script', scopes: ['redirects:read', 'redirects:write'], expiresInDays: 90 }],
  },
);

export const TokenSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(ScopeSchema),
    expiresAt: nullableTime('`null`: it has no end.'),
    lastUsedAt: nullableTime('To the minute; `null`: not used yet.'),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'AccessToken' },
);

export const CreatedTokenSchema = Type.Object(
  {
    token: Type.String({ description: 'The token itself. It is shown this once and stored nowhere.' }),
    ...TokenSchema.properties,
  },
  { title: 'CreatedAccessToken' },
);

export const TokenListSchema = Type.Object({ tokens: Type.Array(TokenSchema) });
export const TokenIdSchema = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
export const TokenDeletedSchema = Type.Object({ message: Type.String() });

export type CreateToken = Static<typeof CreateTokenSchema>;

/** A token as the API shows it. */
export function tokenRecord(token: AccessToken): Static<typeof TokenSchema> {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    createdAt: token.createdAt.toISOString(),
  };
}
