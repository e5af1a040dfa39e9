import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ConfigError } from '../../../shared/config/environment.js';
import { AppError } from '../../errors/app-error.js';
import { expiredToken, type Identity, invalidToken } from '../../http/authentication.js';
import { SCOPES, type Scope, scopesAmong } from '../../http/scopes.js';
import type { PlanOf } from '../../plan.js';
import type { ExternalUsers } from './external-users.js';
import { accountSuspended } from './user.js';

/** Algorithms whose verifier cannot sign. HMAC and `none` are always excluded. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_SUBJECT_LENGTH = 255;

interface JwtConfig {
  readonly jwksUrl: string | undefined;
  readonly publicKey: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  /** Maximum lifetime of access tokens that are created with a JWT. */
  readonly maxTokenDays: number;
}

interface JwtAuthenticationDeps {
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

/** Returns the address only if the issuer has verified it. */
function vouchedEmail({ email, email_verified: verified }: JWTPayload): string | undefined {
  return typeof email === 'string' && verified === true ? email : undefined;
}

function scopesOf({ scope }: JWTPayload): readonly Scope[] {
  if (scope === undefined) return SCOPES;
  return typeof scope === 'string' ? scopesAmong(scope.split(' ')) : [];
}

const FETCH_TIMEOUT_MS = 3_000;
const CACHE_LIFETIME_MS = 10 * 60_000;
/** Minimum time between two requests of the key set for unknown key ids. */
const FETCH_COOLDOWN_MS = 30_000;

/** The issuer's keys. Requested on first use, and again when a token names an unknown key. */
function createRemoteKeys(url: string, cooldownMs = FETCH_COOLDOWN_MS): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: cooldownMs,
    cacheMaxAge: CACHE_LIFETIME_MS,
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (isAboutTheToken(cause)) throw cause;
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'The keys that access tokens are checked with cannot be fetched now; retry shortly.',
        detail: `JWT_JWKS_URL ${url}`,
        cause,
      });
    }
  };
}

/** Returns whether an error is about the token. Other errors of a key set come from its server or the network. */
function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/**
 * Parses a PEM public key. Line ends may be written as `\n`, as environment files need it.
 *
 * @throws {ConfigError} when it is not a public key for signatures
 */
function readPublicKey(pem: string): KeyObject {
  const text = pem.replaceAll('\\n', '\n');
  const refusal =
    'JWT_PUBLIC_KEY takes a public RSA, EC or Ed25519 key in PEM form (-----BEGIN PUBLIC KEY-----)';
  // Node would derive the public key from a private one, which must not be configured here.
  if (text.includes('PRIVATE KEY')) throw new ConfigError(`${refusal}; this is a private key`);
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw new ConfigError(refusal);
  }
  const type = key.asymmetricKeyType ?? '';
  if (!['rsa', 'rsa-pss', 'ec', 'ed25519'].includes(type)) throw new ConfigError(refusal);
  return key;
}
