import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { answering, createGuardedLookup } from './guarded-lookup.js';
import type { FindAddresses } from './host-addresses.js';
import { retryAfterSeconds } from './retry-after.js';
import type { AttemptError, AttemptOutcome } from './webhook-delivery.js';

/** Time limit for the whole attempt: name resolution, connection, TLS, request and answer. */
const TIMEOUT_MS = 10_000;
/** Maximum bytes of an answer that are read and discarded, so the peer sees it taken. The connection is then closed. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookMessage {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  /** A secret that receivers may still have. The message is signed with it too. */
  readonly previousSecret?: string | undefined;
  /** Stays the same in every attempt: receivers know by it what they have had already. */
  readonly id: string;
  readonly payload: string;
}

/**
 * Sends a message once, signed as Standard Webhooks says. Never rejects but for `signal`, which calls it off.
 */
export type SendWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<AttemptOutcome>;

export interface WebhookSenderDeps {
  readonly findAddresses: FindAddresses;
  /** Whether to connect to this address, in any notation. */
  readonly mayConnectTo: (address: string) => boolean;
  readonly timeoutMs?: number | undefined;
  /** Certificates (PEM) of those who vouch for endpoints. Default: those that Node trusts. */
  readonly authorities?: readonly string[] | undefined;
}

/**
 * The addresses of a name are found once and checked, and the connection is made to them: a name that leads
 * elsewhere a moment later (DNS rebinding) is not asked again. TLS holds the certificate against the name all the
 * same. Redirects are not followed.
 */
export function createWebhookSender(deps: WebhookSenderDeps): SendWebhook {
  const { findAddresses, mayConnectTo, authorities, timeoutMs = TIMEOUT_MS } = deps;

  const addressesOf = createGuardedLookup(findAddresses, mayConnectTo);

  return async (message, called) => {
    const limit = limitedBy(timeoutMs, called);
    const { signal } = limit;
    try {
      const url = new URL(message.url);
      const addresses = await addressesOf(url, signal);
      const outcome =
        typeof addresses === 'string'
          ? failed(addresses)
          : await post({ url, addresses, authorities }, message, signal);
      if (outcome.error !== null) called.throwIfAborted();
      return outcome;
    } finally {
      limit.lift();
    }
  };
}

/** A signal for one attempt, at the end of its time or when `called`; nothing of it stays behind once lifted. */
function limitedBy(timeoutMs: number, called: AbortSignal): { readonly signal: AbortSignal; lift(): void } {
  const limit = new AbortController();
  const end = () => limit.abort();
  const timer = setTimeout(end, timeoutMs);
  called.addEventListener('abort', end);
  if (called.aborted) end();
  return {
    signal: limit.signal,
    lift() {
      clearTimeout(timer);
      called.removeEventListener('abort', end);
    },
  };
}

interface Target {
  readonly url: URL;
  /** The addresses that were checked. */
  readonly addresses: readonly LookupAddress[];
  readonly authorities: readonly string[] | undefined;
}

function post(
  { url, addresses, authorities }: Target,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const body = Buffer.from(message.payload);
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      // One connection each: a pool would be keyed by name, not by the addresses that were checked.
      agent: false,
      lookup: answering(addresses),
      ...(authorities !== undefined && { ca: [...authorities] }),
      headers: { ...signedHeaders(message), 'content-length': body.length },
      signal,
    });
    // The status line says it all: what follows, or does not, cannot change it.
    let outcome: AttemptOutcome | undefined;
    request.on('response', (response) => {
      outcome = outcomeOf(response);
      discard(response);
    });
    request.on('error', () => {});
    request.on('close', () => resolve(outcome ?? failed(signal.aborted ? 'timed_out' : 'connection_failed')));
    request.end(body);
  });
}

function outcomeOf({ statusCode = 0, headers }: http.IncomingMessage): AttemptOutcome {
  const waitSeconds = retryAfterSeconds(statusCode, headers['retry-after'], Date.now());
  return {
    responseCode: statusCode,
    error: null,
    ...(waitSeconds !== undefined && { retryAfterSeconds: waitSeconds }),
  };
}

/** Several signatures are separated by spaces. A receiver accepts the message if one of them is right. */
function signedHeaders({ id, payload, secret, previousSecret }: WebhookMessage): Record<string, string> {
  const now = new Date();
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    'content-type': 'application/json',
    'user-agent': 'Waymark-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, now, payload)).join(' '),
  };
}

function discard(response: http.IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  // Cut off, on either side, is an end like any other.
  response.on('error', () => {});
}

function failed(error: AttemptError): AttemptOutcome {
  return { responseCode: null, error };
}
