import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { ConfigError } from '../../../shared/config/environment.js';
import { AppError } from '../../errors/app-error.js';

const FETCH_TIMEOUT_MS = 3_000;
const CACHE_LIFETIME_MS = 10 * 60_000;
/** Minimum time between two requests of the set because of an unknown key id. */
const FETCH_COOLDOWN_MS = 30_000;

/** The issuer's keys. Requested on first use, and again when a token names an unknown key. */
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

/** Other errors of a key set come from its server or the network. */
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
export function readPublicKey(pem: string): KeyObject {
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
