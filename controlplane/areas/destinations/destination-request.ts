import http from 'node:http';
import https from 'node:https';
import { TLSSocket } from 'node:tls';
import { answering, type GuardedLookup, retryAfterSeconds } from '../webhooks/public.js';
import type { CheckError } from './check-result.js';

const MAX_HEADER_BYTES = 16 * 1024;

/** The head of an answer. Its body is not read. */
export interface Answer {
  readonly statusCode: number;
  readonly location: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly tlsExpiresAt: Date | undefined;
}

/** Sends one request without a body. Redirects are not followed. Never rejects. */
export type RequestDestination = (
  method: 'HEAD' | 'GET',
  url: URL,
  signal: AbortSignal,
) => Promise<Answer | CheckError>;

export interface DestinationRequestDeps {
  readonly lookup: GuardedLookup;
  readonly userAgent: string;
  /** Certificate authorities (PEM) of servers. Default: those that Node trusts. */
  readonly authorities?: readonly string[] | undefined;
}

export function createDestinationRequest(deps: DestinationRequestDeps): RequestDestination {
  const { lookup, userAgent, authorities } = deps;
  return async (method, url, signal) => {
    const addresses = await lookup(url, signal);
    if (typeof addresses === 'string') return addresses;
    return new Promise((resolve) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method,
        // Each request has its own connection: a pool would be keyed by name, not by the addresses that were checked.
        agent: false,
        lookup: answering(addresses),
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(authorities !== undefined && { ca: [...authorities] }),
        headers: { 'user-agent': userAgent, accept: '*/*' },
        signal,
      });
      request.on('response', (response) => {
        resolve(answerOf(response));
        response.on('error', () => {});
        response.destroy();
      });
      request.on('error', (error) => resolve(signal.aborted ? 'timed_out' : kindOf(error)));
      request.on('close', () => resolve(signal.aborted ? 'timed_out' : 'connection_failed'));
      request.end();
    });
  };
}

function answerOf({ statusCode = 0, headers, socket }: http.IncomingMessage): Answer {
  const expiry = socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : undefined;
  return {
    statusCode,
    location: headers.location,
    retryAfterSeconds: retryAfterSeconds(statusCode, headers['retry-after'], Date.now()),
    tlsExpiresAt: expiry === undefined || Number.isNaN(expiry.getTime()) ? undefined : expiry,
  };
}

/** Codes of OpenSSL and Node for certificates and handshakes. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|ERR_OSSL)/;

function kindOf(error: Error & { readonly code?: string }): CheckError {
  const { code = '' } = error;
  if (code === 'CERT_HAS_EXPIRED') return 'certificate_expired';
  return TLS_CODE.test(code) ? 'tls_failed' : 'connection_failed';
}
