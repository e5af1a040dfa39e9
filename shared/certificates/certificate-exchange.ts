import { isObject } from '../rules/is-object.js';

/** Path of the certificates on the control plane. POST, with the token of `deriveInternalToken`. */
export const CERTIFICATES_PATH = '/internal/certificates';
/** Maximum fingerprints per request. */
export const MAX_REQUESTED_CERTIFICATES = 100;
/** Maximum characters of one sealed certificate. */
export const MAX_SEALED_LENGTH = 131_072;
/** Maximum pending challenge tokens of all accounts except the first. */
export const MAX_CHALLENGE_TOKENS = 1_000;

/** Maximum characters of a DNS name (RFC 1035), without the final dot. */
const MAX_NAME_LENGTH = 253;
const FINGERPRINT = /^[0-9a-f]{64}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BASE64URL = /^[A-Za-z0-9_-]{1,256}$/;

/** Maximum names per request. */
export const MAX_REPORTED_NAMES = 100;

/** Body of the request. With empty lists the answer has only the challenges. */
export interface CertificatesRequest {
  readonly fingerprints: readonly string[];
  /** Names requested in TLS handshakes that a wildcard redirect serves and that have no certificate. Absent: none. */
  readonly names?: readonly string[];
}

/** A certificate with its key, encrypted: see `createCertificateSealing`. */
export interface SealedCertificate {
  readonly fingerprint: string;
  readonly sealed: string;
}

/** Answers of data planes to certificate authorities that validate a host by HTTP (RFC 8555, section 8.3). */
export interface Challenges {
  /** Thumbprints of account keys (RFC 7638). The first one answers every token that `challengeTokens` does not have. */
  readonly challengeThumbprints: readonly string[];
  /** Pending tokens of other accounts, each with its thumbprint. Absent: none. */
  readonly challengeTokens?: Readonly<Record<string, string>>;
}

/** The answer. It omits certificates that the control plane does not have. */
export interface CertificatesAnswer extends Challenges {
  readonly certificates: readonly SealedCertificate[];
}

/** Returns whether `value` is a SHA-256 in lower-case hexadecimal. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === 'string' && FINGERPRINT.test(value);
}

/** Returns whether `text` can be a token of a challenge, or a thumbprint. */
export function isChallengeText(text: unknown): text is string {
  return typeof text === 'string' && BASE64URL.test(text);
}

/** Validates the body of a request. @throws if it is not a `CertificatesRequest`; the message names the wrong member */
export function asCertificatesRequest(body: unknown): CertificatesRequest {
  const fingerprints = isObject(body) ? body.fingerprints : undefined;
  if (!Array.isArray(fingerprints) || fingerprints.length > MAX_REQUESTED_CERTIFICATES) {
    throw new Error(`fingerprints must be a list of at most ${MAX_REQUESTED_CERTIFICATES}`);
  }
  if (!fingerprints.every(isFingerprint)) {
    throw new Error('fingerprints must be SHA-256 values in lower-case hexadecimal');
  }
  const names = isObject(body) ? body.names : undefined;
  if (names === undefined) return { fingerprints };
  if (!Array.isArray(names) || names.length > MAX_REPORTED_NAMES || !names.every(isName)) {
    throw new Error(
      `names must be a list of at most ${MAX_REPORTED_NAMES} hosts of at most ${MAX_NAME_LENGTH} characters, or absent`,
    );
  }
  return { fingerprints, names };
}

/**
 * Validates an answer. Omits invalid certificates, so that a data plane still gets the others.
 *
 * @throws if the body is not a `CertificatesAnswer`; the message names the wrong member
 */
export function asCertificatesAnswer(body: unknown): CertificatesAnswer {
  const challenges = asChallenges(body);
  const certificates = isObject(body) ? body.certificates : undefined;
  if (!Array.isArray(certificates)) {
    throw new Error('certificates must be a list of {fingerprint, sealed}');
  }
  return { ...challenges, certificates: certificates.filter(isSealedCertificate) };
}

/**
 * Validates challenges. Omits those that are not base64url or exceed the maximum, so that a data plane still gets the
 * others.
 *
 * @throws if the value has no challenges; the message names the wrong member
 */
export function asChallenges(value: unknown): Challenges {
  if (!isObject(value)) throw new Error('it must be an object');
  const { challengeThumbprints, challengeTokens } = value;
  if (!Array.isArray(challengeThumbprints)) {
    throw new Error('challengeThumbprints must be a list of base64url texts');
  }
  const thumbprints = challengeThumbprints.filter(isChallengeText);
  if (!isObject(challengeTokens)) return { challengeThumbprints: thumbprints };
  const tokens = Object.entries(challengeTokens).filter(isTokenAnswer).slice(0, MAX_CHALLENGE_TOKENS);
  return { challengeThumbprints: thumbprints, challengeTokens: Object.fromEntries(tokens) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH;
}

function isTokenAnswer(texts: [string, unknown]): texts is [string, string] {
  return texts.every(isChallengeText);
}

function isSealedCertificate(value: unknown): value is SealedCertificate {
  if (!isObject(value) || !isFingerprint(value.fingerprint)) return false;
  const { sealed } = value;
  return typeof sealed === 'string' && sealed.length <= MAX_SEALED_LENGTH && BASE64.test(sealed);
}
