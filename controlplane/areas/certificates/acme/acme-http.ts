import { Agent, request } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import { messageOf } from '../../../../shared/process/error-facts.js';

const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SOCKETS = 16;
const USER_AGENT = 'waymark-acme';

/** The authority cannot be reached, or its connection cannot be trusted. */
export class AcmeUnreachable extends Error {
  override name = 'AcmeUnreachable';
}

export interface AcmeAnswer {
  readonly status: number;
  /** Value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  readonly text: string;
}

export interface AcmeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: string;
  /** Sent as `application/jose+json`. */
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to certificate authorities over HTTPS. Connections are kept. */
export interface AcmeHttp {
  /** @throws {AcmeUnreachable} when there is no answer within 20 s */
  send(request: AcmeRequest): Promise<AcmeAnswer>;
  close(): void;
}

/** @param caPem roots that are trusted beside those of Node */
export function createAcmeHttp(caPem: string | undefined, timeoutMs = TIMEOUT_MS): AcmeHttp {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    // Made once: to read all roots takes some 20 ms of each connection otherwise.
    ...(caPem !== undefined && { secureContext: createSecureContext({ ca: [...rootCertificates, caPem] }) }),
  });
  return {
    async send(sent) {
      const { signal } = sent;
      signal?.throwIfAborted();
      try {
        return await exchange(agent, sent, timeoutMs);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new AcmeUnreachable(`${new URL(sent.url).host} does not answer: ${messageOf(cause)}`, {
          cause,
        });
      }
    },
    close: () => agent.destroy(),
  };
}

function exchange(agent: Agent, sent: AcmeRequest, timeoutMs: number): Promise<AcmeAnswer> {
  const { method, url, body, signal } = sent;
  // The timeout covers the whole exchange: an authority that sends a byte now and then is slow as well.
  const limit = AbortSignal.timeout(timeoutMs);
  const payload = body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      headers: {
        'User-Agent': USER_AGENT,
        ...(payload !== undefined && {
          'Content-Type': 'application/jose+json',
          'Content-Length': Buffer.byteLength(payload),
        }),
      },
    });
    outgoing.on('error', (error) =>
      reject(limit.aborted ? new Error(`no answer within ${timeoutMs / 1_000} s`) : error),
    );
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) incoming.destroy(new Error('the answer is over 1 MiB'));
        else chunks.push(chunk);
      });
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { headers, statusCode: status = 0 } = incoming;
        const header = (name: string) => {
          const value = headers[name];
          return Array.isArray(value) ? value[0] : value;
        };
        resolve({ status, header, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end(payload);
  });
}
