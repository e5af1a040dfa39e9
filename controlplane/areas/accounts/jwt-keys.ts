import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { ConfigError } from '../../../shared/config/environment.js';
import { AppError } from '../../errors/app-error.js';

const FETCH_TIMEOUT_MS = 3_000;
const CACHE_LIFETIME_MS = 10 * 60_000;
/** A token with an unknown key id makes the set be fetched again, but not more often than this. */
const FETCH_COOLDOWN_MS = 30_000;

/** The issuer's keys, fetched when first needed and again when a token names a key that is not among them. */
export function createRemoteKeys(url: string, cooldownMs = FETCH_COOLDOWN_MS): JWTVerifyGetKey {
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

/** Anything else that goes wrong with a key set is the fault of its server or of the way to it. */
function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/**
 * Reads a PEM public key; line ends may be written as `\n`, as environment files need it.
 *
 * @throws {ConfigError} when it is no public key for signatures
 */
export function readPublicKey(pem: string): KeyObject {
  const text = pem.replaceAll('\\n', '\n');
  const refusal =
    'JWT_PUBLIC_KEY takes a public RSA, EC or Ed25519 key in PEM form (-----BEGIN PUBLIC KEY-----)';
  // Node would derive the public key from a private one, which has no business being here.
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
