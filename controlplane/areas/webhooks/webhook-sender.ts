import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { answering, createGuardedLookup, type FindAddresses } from './host-addresses.js';
import { retryAfterSeconds } from './retry-after.js';
import type { AttemptError, AttemptOutcome } from './webhook-delivery.js';

/** Time limit for the whole attempt: name resolution, connection, TLS, request and answer. */
const TIMEOUT_MS = 10_000;
/**
 * Maximum bytes of an answer that are read and discarded. Reading lets the endpoint finish its answer. The connection
 * is then closed.
 */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookMessage {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  /** A former secret that receivers may still use. It signs the message too. */
  readonly previousSecret?: string | undefined;
  /** Id that is the same in every attempt. Receivers detect repeated messages by it. */
  readonly id: string;
  readonly payload: string;
}

/** Sends a message once, signed according to Standard Webhooks. Rejects only if `signal` cancels it. */
export type SendWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<AttemptOutcome>;

export interface WebhookSenderDeps {
  readonly findAddresses: FindAddresses;
  /** Whether to connect to this address, in any notation. */
  readonly mayConnectTo: (address: string) => boolean;
  readonly timeoutMs?: number | undefined;
  /** Certificate authorities (PEM) of endpoints. Default: those that Node trusts. */
  readonly authorities?: readonly string[] | undefined;
}

/**
 * Creates a sender. It finds and checks the addresses of a name once, and connects to them. A second look-up could
 * give another address (DNS rebinding). TLS checks the certificate against the name as usual. Redirects are not
 * followed.
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

/**
 * Creates a signal for one attempt. It fires after the time limit or with `called`. `lift` removes its timer and
 * listener.
 */
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
  /** Addresses that were checked. */
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
      // Each attempt has its own connection: a pool would be keyed by name, not by the addresses that were checked.
      agent: false,
      lookup: answering(addresses),
      ...(authorities !== undefined && { ca: [...authorities] }),
      headers: { ...signedHeaders(message), 'content-length': body.length },
      signal,
    });
    // The status line is enough. The body cannot change the outcome.
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

/**
 * Returns the signed headers. Spaces separate several signatures. A receiver accepts the message if one of them is
 * valid.
 */
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
  // An early close by either side also ends the answer.
  response.on('error', () => {});
}

function failed(error: AttemptError): AttemptOutcome {
  return { responseCode: null, error };
}
