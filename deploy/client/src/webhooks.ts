import { webCrypto } from './web-crypto.js';

export interface WebhookOptions {
  /** The body as it was received: text or bytes, not a parsed object. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The endpoint's secret (`whsec_…`). Give both while a secret is being replaced. */
  readonly secret: string | readonly string[];
  /** Maximum age of a message, against replays. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Default: now. */
  readonly nowMs?: number;
}

/** An event that the server sent. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message that must not be trusted. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies the signature and the age of a message, and returns its event.
 *
 * @throws WebhookVerificationError
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function verifyWebhook(options: WebhookOptions): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = 300, nowMs = Date.now() } = options;
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const ageSeconds = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!/^\d{1,15}$/.test(timestamp) || ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError(`webhook-timestamp is not within ${toleranceSeconds} s of now.`);
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = signaturesOf(header(headers, 'webhook-signature'));
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    if (await isSigned(one, signed, signatures)) return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookVerificationError(
    'No signature in webhook-signature matches. Check the secret, and that the body is as it was received.',
  );
}

function header(headers: WebhookOptions['headers'], name: string): string {
  const isHeaders = typeof (headers as Headers).get === 'function';
  const value = isHeaders ? (headers as Headers).get(name) : (headers as Record<string, unknown>)[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

/** Returns the signatures of version 1: `v1,<base64> v1,<base64>`. */
function signaturesOf(value: string): Uint8Array[] {
  return value
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .slice(0, 10)
    .map((signature) => bytesOf(signature.slice(3)));
}

async function isSigned(
  secret: string,
  signed: Uint8Array,
  signatures: readonly Uint8Array[],
): Promise<boolean> {
  const { subtle } = await webCrypto();
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  if (raw.length === 0) throw new TypeError('The secret must be whsec_ and base64.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', raw as Uint8Array<ArrayBuffer>, algorithm, false, ['verify']);
  for (const signature of signatures) {
    // WebCrypto compares in constant time.
    if (
      await subtle.verify(
        'HMAC',
        key,
        signature as Uint8Array<ArrayBuffer>,
        signed as Uint8Array<ArrayBuffer>,
      )
    )
      return true;
  }
  return false;
}

/** Decodes base64. What is not base64 gives no bytes, which match nothing. */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
