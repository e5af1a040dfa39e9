import { createHash, createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** A JSON Web Signature in the flattened form that ACME uses (RFC 7515, section 7.2.2). */
export interface FlattenedJws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/** A public EC key, with its members in the order of RFC 7638. */
export interface EcJwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

/** @param privateKey EC P-256 */
export function publicJwk(privateKey: KeyObject): EcJwk {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

/** Returns the thumbprint of a key (RFC 7638), which answers challenges. */
export function thumbprintOf(jwk: EcJwk): string {
  return createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
}

/**
 * Signs with ES256.
 *
 * @param payload undefined for POST-as-GET
 */
export function signJws(privateKey: KeyObject, header: object, payload: object | undefined): FlattenedJws {
  const parts = encodeParts({ alg: 'ES256', ...header }, payload);
  const signature = sign('sha256', Buffer.from(`${parts.protected}.${parts.payload}`), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return { ...parts, signature: signature.toString('base64url') };
}

/**
 * Signs with HS256, for external account bindings.
 *
 * @param key base64url
 */
export function signHmacJws(key: string, header: object, payload: object): FlattenedJws {
  const parts = encodeParts({ alg: 'HS256', ...header }, payload);
  const hmac = createHmac('sha256', Buffer.from(key, 'base64url'));
  const signature = hmac.update(`${parts.protected}.${parts.payload}`).digest('base64url');
  return { ...parts, signature };
}

function encodeParts(header: object, payload: object | undefined) {
  return { protected: encode(header), payload: payload === undefined ? '' : encode(payload) };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
