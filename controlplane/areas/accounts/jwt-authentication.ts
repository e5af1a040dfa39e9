import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AppError } from '../../errors/app-error.js';
import { expiredToken, type Identity, invalidToken } from '../../http/authentication.js';
import { SCOPES, type Scope, scopesAmong } from '../../http/scopes.js';
import type { PlanOf } from '../../plan.js';
import type { ExternalUsers } from './external-users.js';
import { createRemoteKeys, readPublicKey } from './jwt-keys.js';
import { accountSuspended } from './user.js';

/** Algorithms whose verifier cannot sign. HMAC and `none` are excluded, whatever a token says. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_SUBJECT_LENGTH = 255;

export interface JwtConfig {
  readonly jwksUrl: string | undefined;
  readonly publicKey: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  /** Maximum lifetime of access tokens that are created with a JWT. */
  readonly maxTokenDays: number;
}

export interface JwtAuthenticationDeps {
  readonly config: JwtConfig;
  readonly users: ExternalUsers;
  readonly planOf: PlanOf;
  readonly nowMs: () => number;
  /** Minimum time between two requests of the key set. */
  readonly jwksCooldownMs?: number | undefined;
}

/** Finds the user of a JWT. Throws only when the look-up fails. */
export type AuthenticateJwt = (token: string) => Promise<Identity>;

type Verified = { readonly payload: JWTPayload } | { readonly refusal: AppError };

/**
 * Accepts signed JWTs of one issuer for one audience. They must have an end (`exp`) and a subject. An unknown subject
 * becomes a user. The claim `scope` limits the token to the known scopes that it names. A token without that claim
 * has all scopes.
 *
 * @throws {ConfigError} when the configured key is unusable
 */
export function createJwtAuthentication(deps: JwtAuthenticationDeps): AuthenticateJwt {
  const { config, users, planOf, nowMs } = deps;
  const keyOf = keySource(config, deps.jwksCooldownMs);

  async function verify(token: string): Promise<Verified> {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ALGORITHMS,
        issuer: config.issuer,
        audience: config.audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(nowMs()),
      });
      return { payload };
    } catch (error) {
      if (error instanceof AppError) return { refusal: error };
      return { refusal: error instanceof errors.JWTExpired ? expiredToken() : invalidToken() };
    }
  }

  return async (token): Promise<Identity> => {
    const verified = await verify(token);
    if ('refusal' in verified) return verified;
    const { payload } = verified;
    const { sub } = payload;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || sub.includes('\0')) {
      return { refusal: invalidToken() };
    }
    const user = await users.findOrAdd({
      subject: `${config.issuer}|${sub}`,
      email: vouchedEmail(payload),
    });
    if (user.isSuspended) return { refusal: accountSuspended() };
    return {
      user: {
        id: user.id,
        email: user.email,
        scopes: scopesOf(payload),
        plan: await planOf(user.id),
        ...(user.eraseAt !== null && { isClosing: true }),
      },
    };
  };
}

function keySource(config: JwtConfig, cooldownMs: number | undefined): JWTVerifyGetKey {
  if (config.jwksUrl !== undefined) return createRemoteKeys(config.jwksUrl, cooldownMs);
  const key = readPublicKey(config.publicKey ?? '');
  return async () => key;
}

/** An address that the issuer has not verified proves nothing. */
function vouchedEmail({ email, email_verified: verified }: JWTPayload): string | undefined {
  return typeof email === 'string' && verified === true ? email : undefined;
}

function scopesOf({ scope }: JWTPayload): readonly Scope[] {
  if (scope === undefined) return SCOPES;
  return typeof scope === 'string' ? scopesAmong(scope.split(' ')) : [];
}
