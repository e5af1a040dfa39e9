import { X509Certificate } from 'node:crypto';
import { isObject } from '../../../../shared/rules/is-object.js';
import type { AcmeClient } from './acme-client.js';
import { parseJson, problemOf, retryAfterSeconds } from './acme-problem.js';

/** Object identifier of the authority key identifier (RFC 5280, section 4.2.1.1), in DER. */
const AUTHORITY_KEY_IDENTIFIER = Buffer.from('0603551d23', 'hex');
const KEY_IDENTIFIER = 0x80;
const DEFAULT_POLL_SECONDS = 6 * 3_600;
const MIN_POLL_SECONDS = 60;
const MAX_POLL_SECONDS = 24 * 3_600;

/** Time window in which an authority wants a renewal (RFC 9773). */
export interface RenewalWindow {
  /** Unix ms. */
  readonly startMs: number;
  /** Unix ms. */
  readonly endMs: number;
  /** Seconds until the next request for the renewal window. */
  readonly pollSeconds: number;
}

/**
 * Returns the identifier of a certificate at its authority: key identifier and serial number.
 *
 * @param pem the certificate. Certificates of its issuers may follow
 * @returns undefined if the certificate does not name the key of its issuer
 */
export function renewalIdOf(pem: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(pem);
  const at = raw.indexOf(AUTHORITY_KEY_IDENTIFIER);
  if (at === -1) return undefined;
  // OCTET STRING, SEQUENCE, then [0] with the identifier. All are shorter than 128 bytes.
  const tagAt = at + AUTHORITY_KEY_IDENTIFIER.length + 4;
  const length = raw[tagAt + 1] ?? 0;
  if (raw[tagAt] !== KEY_IDENTIFIER || length >= 0x80) return undefined;
  const keyIdentifier = raw.subarray(tagAt + 2, tagAt + 2 + length);
  const digits = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const serial = Buffer.from(digits, 'hex');
  // DER writes a positive number whose first bit is set with a zero before it.
  const signed = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${keyIdentifier.toString('base64url')}.${signed.toString('base64url')}`;
}

/**
 * Asks the authority when to renew.
 *
 * @returns undefined where it has no renewal information
 * @throws {AcmeProblem} when the answer cannot be used
 */
export async function readRenewalWindow(
  client: AcmeClient,
  renewalId: string,
  signal?: AbortSignal,
): Promise<RenewalWindow | undefined> {
  const { renewalInfo } = await client.directory(signal);
  if (renewalInfo === undefined) return undefined;
  const answer = await client.get(`${renewalInfo}/${renewalId}`, signal);
  if (answer.status !== 200) throw problemOf(answer);
  const value = parseJson(answer.text);
  const suggested = isObject(value) && isObject(value.suggestedWindow) ? value.suggestedWindow : {};
  const startMs = Date.parse(String(suggested.start));
  const endMs = Date.parse(String(suggested.end));
  if (!(startMs <= endMs)) throw problemOf(answer);
  const asked = retryAfterSeconds(answer.header('retry-after') ?? '', client.nowMs()) ?? DEFAULT_POLL_SECONDS;
  return { startMs, endMs, pollSeconds: Math.min(Math.max(asked, MIN_POLL_SECONDS), MAX_POLL_SECONDS) };
}
